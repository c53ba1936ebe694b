-- Lookups by key, whose planning at every call cost more than they did: of an edit's fold three quarters (measured).
SET ROLE suture_gate;
ALTER FUNCTION applied_edits(uuid,uuid[],timestamptz) SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION authenticate(bytea) SET plan_cache_mode = force_generic_plan;
RESET ROLE;
