-- How many edits of values have changed a record's text: those of p_now, and of all that ever changed it. So the version
-- of a text (edits_applied) never returns to an earlier one.
CREATE OR REPLACE FUNCTION count_value_edits(p_tenant uuid, p_record uuid, p_now uuid[]) RETURNS int LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE changing uuid[];
BEGIN
    SELECT array_agg(v) INTO changing FROM (
        SELECT unnest(r.value_ids) AS v FROM memory_rewording r WHERE r.tenant_id = p_tenant AND r.record_id = p_record
        UNION
        SELECT unnest(p_now)) d;
    IF changing IS NULL THEN RETURN 0; END IF;
    RETURN (SELECT count(*) FROM unnest(changing) v CROSS JOIN LATERAL applied_edits(p_tenant, ARRAY[v], NULL) e);
END $$;
