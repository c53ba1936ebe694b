-- executable by: suture_app
-- Which of some events whose recorder chose the ids are recorded already: p_events is a JSON array of objects with id,
-- session_id, kind, text and fields, the last two as in content rows. `is_same`: the same recorder recorded the same
-- with this id, or its text was erased since. Until the end of the transaction, nobody else records an event of this
-- recorder with these ids. Up to 100 ids, the batch size of `suture flush`, are locked one by one, so that others can
-- record meanwhile: embedding takes seconds. For more ids the recorder is locked, because the table of locks is small.
CREATE OR REPLACE FUNCTION claim_named_events(p_tenant uuid, p_events json) RETURNS TABLE (
    event_id uuid, is_same boolean, ts timestamptz, chunk_ids uuid[], decision_id uuid, task_id uuid, artifact_id uuid
) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    whole bigint := hashtextextended(format('named events of %s in %s', me.id, p_tenant), 0);
    one uuid;
BEGIN
    IF json_array_length(p_events) <= 100 THEN
        PERFORM pg_advisory_xact_lock_shared(whole);
        FOR one IN SELECT DISTINCT x.id FROM json_to_recordset(p_events) AS x (id uuid) ORDER BY 1 LOOP
            PERFORM pg_advisory_xact_lock(hashtextextended(format('named event %s of %s', one, me.id), 0));
        END LOOP;
    ELSE
        PERFORM pg_advisory_xact_lock(whole);
    END IF;
    RETURN QUERY
    SELECT e.id,
        e.recorded_by = me.id AND e.recorder_kind = me.kind AND e.session_id = x.session_id AND e.kind = x.kind
            AND is_content(p_tenant, e.content_id, x.text) AND is_content(p_tenant, e.fields_id, x.fields),
        e.ts, ARRAY(SELECT k.id FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.event_id = e.id
                    ORDER BY k.chunk_index),
        (SELECT d.id FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.event_id = e.id),
        (SELECT t.task_id FROM memory_task t WHERE t.tenant_id = p_tenant AND t.event_id = e.id),
        (SELECT a.id FROM memory_artifact a WHERE a.tenant_id = p_tenant AND a.event_id = e.id)
    FROM json_to_recordset(p_events) AS x (id uuid, session_id text, kind text, text text, fields text)
    CROSS JOIN LATERAL event_of(p_tenant, x.id) e;
END $$;
