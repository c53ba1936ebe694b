-- executable by: suture_app
-- Record the outcome of using a chunk in a session, as reported by the actor. `recorded_at` is NULL if they may not
-- read the chunk. Repeating the same outcome in this session records nothing, and returns when it was recorded.
--
-- Every outcome counts. Each failure lowers the confidence; successes raise it once per session, whoever reports them,
-- so that confidence comes from different sessions.
CREATE OR REPLACE FUNCTION record_outcome(
    p_tenant uuid, p_chunk uuid, p_outcome text, p_session_id text, p_note text,
    OUT recorded_at timestamptz, OUT is_repeated boolean, OUT confidence numeric
) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    v_version int := seen_version(p_tenant, p_chunk, false);
    v_id uuid := new_id();
    is_first boolean;
BEGIN
    is_repeated := false;
    IF v_version IS NULL THEN RETURN; END IF;
    confidence := lock_access(p_tenant, p_chunk);
    SELECT o.at INTO recorded_at FROM memory_outcome o
    WHERE o.tenant_id = p_tenant AND o.chunk_id = p_chunk AND o.session_id = p_session_id AND o.reported_by = me.id
      AND o.outcome = p_outcome;
    IF FOUND THEN
        is_repeated := true;
        RETURN;
    END IF;
    is_first := NOT EXISTS (
        SELECT FROM memory_outcome o WHERE o.tenant_id = p_tenant AND o.chunk_id = p_chunk
          AND o.session_id = p_session_id AND o.outcome = p_outcome);
    recorded_at := clock_timestamp();
    INSERT INTO memory_outcome (tenant_id, id, chunk_id, version, outcome, session_id, note, reporter_kind, reported_by,
        reporter, at)
    VALUES (p_tenant, v_id, p_chunk, v_version, p_outcome, p_session_id, p_note, me.kind, me.id, me.name, recorded_at);
    UPDATE memory_chunkaccess a SET successes = a.successes + (p_outcome = 'success')::int,
        failures = a.failures + (p_outcome = 'failure')::int, last_outcome_at = recorded_at
    WHERE a.tenant_id = p_tenant AND a.id = p_chunk;
    IF is_first OR p_outcome = 'failure' THEN
        confidence := confidence_after(confidence, p_outcome);
        PERFORM change_confidence(p_tenant, p_chunk, 'outcome', confidence, recorded_at, '', v_id, p_outcome = 'failure');
    ELSE
        PERFORM queue_promotions(p_tenant, ARRAY[p_chunk]);
    END IF;
END $$;
