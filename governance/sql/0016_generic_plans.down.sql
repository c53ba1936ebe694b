SET ROLE suture_gate;
ALTER FUNCTION applied_edits(uuid,uuid[],timestamptz) RESET plan_cache_mode;
ALTER FUNCTION authenticate(bytea) RESET plan_cache_mode;
RESET ROLE;
