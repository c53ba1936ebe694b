-- Refuse unless the acting person differs from the proposer, from the issuer of the key used to propose, and from those
-- who have already decided. Both sides include everyone whom they count as (counted_as).
CREATE OR REPLACE FUNCTION require_second_person(p_tenant uuid, p_first uuid[]) RETURNS void LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF counted_as(p_tenant, ARRAY[me.id]) && counted_as(p_tenant, array_remove(p_first, NULL)) THEN
        RAISE EXCEPTION 'another person must approve this: you issued the key that it was proposed with, or one of you made or reset the account of the other within a day'
            USING ERRCODE = 'SU403', CONSTRAINT = 'needs_second_person';
    END IF;
END $$;
