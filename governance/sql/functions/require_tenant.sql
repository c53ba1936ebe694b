-- executable by: suture_owner
-- Refuse unless p_tenant is the tenant of this transaction's verified context. Every gate function first calls it, or
-- acting(), which also returns the actor.
CREATE OR REPLACE FUNCTION require_tenant(p_tenant uuid) RETURNS void LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF p_tenant IS NULL OR p_tenant IS DISTINCT FROM context_tenant() THEN
        RAISE EXCEPTION 'the requested tenant is not the tenant of this transaction' USING ERRCODE = 'SU403';
    END IF;
END $$;
