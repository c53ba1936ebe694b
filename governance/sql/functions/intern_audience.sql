-- The number of the audience of these usersets: a principal `type:id`, or `type:id#relation` for all who stand in that
-- relation to it. A reader with one of them hears it.
CREATE OR REPLACE FUNCTION intern_audience(p_tenant uuid, p_usersets text[]) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
    u text;
    v_digest bytea;
    v_number int;
    kept text[] := ARRAY(SELECT DISTINCT x COLLATE "C" FROM unnest(p_usersets) x ORDER BY 1);
BEGIN
    PERFORM require_tenant(p_tenant);
    IF cardinality(kept) NOT BETWEEN 1 AND 1000 THEN
        RAISE EXCEPTION 'an audience has 1 to 1000 principals, roles and relations' USING ERRCODE = 'SU400',
            CONSTRAINT = 'malformed_audience';
    END IF;
    FOREACH u IN ARRAY kept LOOP
        IF is_userset(u) IS NOT TRUE THEN
            RAISE EXCEPTION '% is neither a principal (type:id) nor a relation to an object (type:id#relation)', u
                USING ERRCODE = 'SU400', CONSTRAINT = 'malformed_audience';
        END IF;
    END LOOP;
    v_digest := digest_of_usersets(kept);
    SELECT a.number INTO v_number FROM governance_audience a WHERE a.tenant_id = p_tenant AND a.digest = v_digest;
    IF FOUND THEN RETURN v_number; END IF;
    -- new numbers have no gaps: who adds one waits for those before. So audiences are interned before other locks.
    PERFORM pg_advisory_xact_lock(hashtextextended('audiences of ' || p_tenant, 0));
    SELECT a.number INTO v_number FROM governance_audience a WHERE a.tenant_id = p_tenant AND a.digest = v_digest;
    IF FOUND THEN RETURN v_number; END IF;
    SELECT coalesce(max(a.number) + 1, 0) INTO v_number FROM governance_audience a WHERE a.tenant_id = p_tenant;
    INSERT INTO governance_audience (tenant_id, id, number, usersets, digest, created_at)
    VALUES (p_tenant, new_id(), v_number, kept, v_digest, clock_timestamp());
    INSERT INTO governance_audienceuserset (tenant_id, id, userset, number)
    SELECT p_tenant, new_id(), x, v_number FROM unnest(kept) x;
    RETURN v_number;
END $$;
