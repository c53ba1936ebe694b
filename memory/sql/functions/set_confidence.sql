-- executable by: suture_app
-- Let a reviewer or an admin say how far a chunk can be relied on; its entry is owed. `changed_at` is NULL if they do not
-- get the chunk. The confidence that it has already is a change too: it begins the time without an outcome again.
CREATE OR REPLACE FUNCTION set_confidence(
    p_tenant uuid, p_chunk uuid, p_confidence numeric, p_reason text, OUT changed_at timestamptz, OUT before numeric
) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE me acting_context := acting_writer(p_tenant);
BEGIN
    IF me.kind <> 'human' THEN
        RAISE EXCEPTION 'only a reviewer or admin of the tenant can set the confidence in a memory'
            USING ERRCODE = 'SU403';
    END IF;
    IF seen_version(p_tenant, p_chunk, true) IS NULL THEN RETURN; END IF;
    before := lock_access(p_tenant, p_chunk);
    changed_at := clock_timestamp();
    PERFORM change_confidence(p_tenant, p_chunk, 'manual', p_confidence, changed_at, p_reason, NULL, false);
    PERFORM owe_entry(p_tenant, 'confidence.changed', p_chunk::text);
END $$;
