-- Require this transaction to append an entry about a person to the ledger of each of p_tenants; returns them in order.
CREATE OR REPLACE FUNCTION owe_everywhere(p_tenants uuid[], p_type text, p_user uuid) RETURNS uuid[] LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE owing uuid[] := ARRAY(SELECT DISTINCT x FROM unnest(p_tenants) x ORDER BY x);
BEGIN
    PERFORM owe_entry(x, p_type, p_user::text) FROM unnest(owing) x;
    RETURN owing;
END $$;
