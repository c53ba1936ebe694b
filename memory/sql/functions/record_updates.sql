-- executable by: suture_app
-- Record which earlier memories the actor's new chunks update: p_updates is a JSON array of objects with chunk_id, and
-- `updates`, the id of an event or a chunk, or `key`, with which the actor has recorded the earlier one about the same
-- subject, the last that it hears. The earlier memory is superseded as long as readers get the chunk (successor_of). Refuses what
-- require_updatable refuses, and memory that another one has replaced. Returns the superseded chunks. Records with one key wait for each other here.
CREATE OR REPLACE FUNCTION record_updates(p_tenant uuid, p_updates json)
RETURNS TABLE (later_id uuid, earlier_id uuid) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    u record;
    named uuid[] := '{}';     -- those that are updated by their ids
    affected uuid[] := '{}';
    latest jsonb := '{}';     -- the last chunk with each key, of this call
    listener reader := reader_with(p_tenant, '{}');
    earlier uuid[];
BEGIN
    PERFORM pg_advisory_xact_lock(d.lock) FROM (
        SELECT DISTINCT hashtextextended(encode(key_digest(p_tenant, j.chunk_id, j.key), 'hex'), 0) AS lock
        FROM json_to_recordset(p_updates) AS j (chunk_id uuid, key text) WHERE j.key IS NOT NULL ORDER BY 1) d;
    FOR u IN
        SELECT k.id, k.recorded_by, k.recorder_kind, j.updates, j.key, key_digest(p_tenant, k.id, j.key) AS digest
        FROM ROWS FROM (json_to_recordset(p_updates) AS (chunk_id uuid, updates uuid, key text))
            WITH ORDINALITY AS j (chunk_id, updates, key, place)
        CROSS JOIN LATERAL chunk_of(p_tenant, j.chunk_id) k ORDER BY j.place
    LOOP
        IF u.recorded_by <> me.id OR u.recorder_kind <> me.kind OR EXISTS (
            SELECT FROM memory_relation r WHERE r.tenant_id = p_tenant AND r.earlier_id = u.id)
        THEN
            RAISE EXCEPTION 'an update must be a new record of its recorder' USING ERRCODE = 'SU403';
        END IF;
        IF u.key IS NULL THEN
            earlier := memory_with(p_tenant, u.updates);
            PERFORM require_updatable(p_tenant, i.id) FROM unnest(earlier) i (id);
            named := named || earlier;
        ELSE
            earlier := memory_with(p_tenant, coalesce((latest ->> encode(u.digest, 'hex'))::uuid, (
                SELECT r.later_id FROM memory_relation r
                WHERE r.tenant_id = p_tenant AND r.key_digest = u.digest AND hears(listener, (
                    SELECT x.audience FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = r.later_id))
                ORDER BY r.id DESC LIMIT 1)));
            latest := latest || jsonb_build_object(encode(u.digest, 'hex'), u.id);
        END IF;
        INSERT INTO memory_relation (tenant_id, id, kind, later_id, earlier_id, key, key_digest, recorder_kind,
            recorded_by, recorder, at)
        SELECT p_tenant, new_id(), 'update', u.id, i.id, u.key, u.digest, me.kind, me.id, me.name, clock_timestamp()
        FROM unnest(CASE WHEN earlier = '{}' THEN ARRAY[NULL::uuid] ELSE earlier END) i (id);
        affected := affected || earlier;
        RETURN QUERY SELECT u.id, i.id FROM unnest(earlier) i (id);
    END LOOP;
    IF affected = '{}' THEN RETURN; END IF;  -- a key's first record updates nothing
    affected := affected || superseded_below(p_tenant, affected);
    PERFORM lock_surroundings(p_tenant, affected);
    IF cardinality(named) > (SELECT count(DISTINCT y.id) FROM memory_effectivechunk y
        WHERE y.tenant_id = p_tenant AND y.id = ANY (named) AND NOT y.is_superseded)
    THEN
        RAISE EXCEPTION 'Another memory has replaced this one meanwhile. Read it again, and update its successor.'
            USING ERRCODE = 'SU409', CONSTRAINT = 'update_of_current';
    END IF;
    -- those without edits all at once, with the same result as folding each: a batch may update a thousand
    WITH gone AS (
        UPDATE memory_effectivechunk y SET superseded_by = successor_of(p_tenant, y.id), is_superseded = true, lex = NULL
        WHERE y.tenant_id = p_tenant AND y.id = ANY (affected) AND y.edits_applied = 0 AND NOT y.is_retracted
          AND y.superseded_by IS NULL AND successor_of(p_tenant, y.id) IS NOT NULL
        RETURNING y.id)
    SELECT coalesce(array_agg(g.id), '{}') INTO earlier FROM gone g;
    PERFORM void_derived(p_tenant, earlier);
    PERFORM queue_promotions(p_tenant, earlier);
    PERFORM withdraw_context(p_tenant, earlier);
    PERFORM refold_locked_memories(p_tenant, ARRAY(SELECT unnest(affected) EXCEPT SELECT unnest(earlier)));
END $$;
