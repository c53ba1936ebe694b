-- The number of the audience of this form, which is added if the tenant has none yet. The usersets, or else the numbers,
-- are sorted and distinct.
CREATE OR REPLACE FUNCTION intern_form(p_tenant uuid, p_usersets text[], p_all_of int[]) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE
    v_digest bytea := sha256(convert_to(to_json(p_usersets)::text || to_json(p_all_of)::text, 'UTF8'));
    v_number int;
BEGIN
    SELECT a.number INTO v_number FROM governance_audience a WHERE a.tenant_id = p_tenant AND a.digest = v_digest;
    IF FOUND THEN RETURN v_number; END IF;
    -- new numbers have no gaps: who adds one waits for those before
    PERFORM pg_advisory_xact_lock(hashtextextended('audiences of ' || p_tenant, 0));
    SELECT a.number INTO v_number FROM governance_audience a WHERE a.tenant_id = p_tenant AND a.digest = v_digest;
    IF FOUND THEN RETURN v_number; END IF;
    SELECT coalesce(max(a.number) + 1, 0) INTO v_number FROM governance_audience a WHERE a.tenant_id = p_tenant;
    INSERT INTO governance_audience (tenant_id, id, number, usersets, all_of, digest, created_at)
    VALUES (p_tenant, new_id(), v_number, p_usersets, p_all_of, v_digest, clock_timestamp());
    INSERT INTO governance_audienceuserset (tenant_id, id, userset, number)
    SELECT p_tenant, new_id(), u, v_number FROM unnest(p_usersets) u;
    RETURN v_number;
END $$;
