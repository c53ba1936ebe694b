-- executable by: suture_app
-- The tenant of a key, whose owner acts from then on, as by authenticate(); NULL where the key is refused, or its owner is
-- not any more what the caller remembers. So one statement looks the key up, opens the context and reads:
--   SELECT f.* FROM enter(digest, fingerprint) AS entered (tenant), LATERAL list_chunks(entered.tenant, ...) f
--   WHERE entered.tenant IS NOT NULL
-- f depends on the tenant, so that it is called after enter(), and not at all without one.
CREATE OR REPLACE FUNCTION enter(p_digest bytea, p_fingerprint bytea) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    entered uuid;
BEGIN
    SELECT a.tenant_id INTO entered FROM authenticate(p_digest) a
    WHERE a.refusal IS NULL AND a.fingerprint = p_fingerprint;
    RETURN entered;
END $$;
