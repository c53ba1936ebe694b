-- executable by: suture_app
-- Set the confidence in a chunk, for a reviewer or an admin; its ledger entry is owed. `changed_at` is NULL if they may
-- not read the chunk. Setting the current value is a change too: it restarts the time without an outcome.
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
