-- executable by: suture_app
-- Open the context of a key's owner, like authenticate(), and return the tenant; NULL if the key is refused, or its
-- owner differs from the caller's cache. So one statement looks up the key, opens the context and reads:
--   SELECT f.* FROM enter(digest, fingerprint) AS entered (tenant), LATERAL list_chunks(entered.tenant, ...) f
--   WHERE entered.tenant IS NOT NULL
-- f depends on the tenant, so it is called after enter(), and not at all without a tenant.
CREATE OR REPLACE FUNCTION enter(p_digest bytea, p_fingerprint bytea) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    entered uuid;
BEGIN
    SELECT a.tenant_id INTO entered FROM authenticate(p_digest) a
    WHERE a.refusal IS NULL AND a.fingerprint = p_fingerprint;
    RETURN entered;
END $$;
