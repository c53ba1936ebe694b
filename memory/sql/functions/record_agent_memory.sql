-- executable by: suture_app
-- Record one entry of the acting agent's chain with text, and its chunk: p_memory is a JSON object. Type `memory` is a
-- commit; `consolidation` supersedes the memories with the numbers `supersedes`; `block` is the next version of the
-- block `block_label` and supersedes the previous one. The chain is locked here, so that the entry, which this owes the
-- ledger (owe_entry), has the number `seq`, and so that of two that supersede one memory the second is refused.
--
-- A memory without a sensitivity gets the tenant's for its channel; it is at least as sensitive as memory that its
-- author received in the session, and a consolidation as its originals; so is its audience. Ephemeral memory expires `expires_hours` from
-- now, by default the tenant's `ephemeral_hours`. A memory that repeats retracted text is quarantined, and a
-- consolidation of hidden memories is held. The confidence in a consolidation is the lowest among its originals.
CREATE OR REPLACE FUNCTION record_agent_memory(
    p_tenant uuid, p_memory json, OUT seq bigint, OUT content_hash bytea, OUT ts timestamptz, OUT sensitivity text,
    OUT tier text, OUT expires_at timestamptz, OUT version int, OUT previous_block_seq bigint, OUT quarantine_id uuid,
    OUT retracted_by uuid, OUT patch_sha256 bytea, OUT is_held boolean
) LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    m record;
    t governance_tenant;
    superseded uuid[] := '{}';
    affected uuid[];
    levels text[];
    v_audience int[];
    x record;
    least_confidence numeric;
BEGIN
    IF me.kind <> 'agent' THEN
        RAISE EXCEPTION 'only an agent has a chain of its own' USING ERRCODE = 'SU403';
    END IF;
    SELECT * INTO m FROM json_to_record(p_memory) AS j (
        id uuid, content_id uuid, body text, type text, retention text, importance numeric, channel text,
        sensitivity text, scope text, subject_type text, subject_id text, project_id text, session_id text, tags text[],
        block_label text, is_core boolean, reason text, supersedes bigint[], expires_hours numeric,
        audience text[]);
    SELECT c.seq + 1 INTO seq FROM governance_chain c
    WHERE c.tenant_id = p_tenant AND c.name = 'agent:' || me.name FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'the agent has no chain' USING ERRCODE = 'SU409'; END IF;
    SELECT * INTO STRICT t FROM governance_tenant y WHERE y.id = p_tenant;
    ts := clock_timestamp();
    -- 1. What it supersedes.
    IF m.type = 'consolidation' THEN
        superseded := ARRAY(
            SELECT a.id FROM unnest(m.supersedes) s (seq) CROSS JOIN LATERAL (
                SELECT y.id, y.type FROM memory_agentmemory y
                WHERE y.tenant_id = p_tenant AND y.agent_id = me.id AND y.seq = s.seq LIMIT 1) a
            CROSS JOIN LATERAL (
                SELECT FROM memory_effectivechunk e WHERE e.tenant_id = p_tenant AND e.id = a.id
                  AND NOT e.is_superseded LIMIT 1) e
            WHERE a.type <> 'block');
        IF superseded = '{}' OR cardinality(superseded) <> cardinality(m.supersedes) THEN
            RAISE EXCEPTION 'a consolidation must supersede current memories of its agent'
                USING ERRCODE = 'SU409', CONSTRAINT = 'consolidation_supersedes_active';
        END IF;
    ELSIF m.type = 'block' THEN
        SELECT y.seq, y.version, y.id INTO x FROM memory_agentmemory y
        WHERE y.tenant_id = p_tenant AND y.agent_id = me.id AND y.block_label = m.block_label
        ORDER BY y.version DESC LIMIT 1;
        version := coalesce(x.version, 0) + 1;
        previous_block_seq := x.seq;
        IF x.id IS NOT NULL THEN superseded := ARRAY[x.id]; END IF;
    END IF;
    -- 2. What it inherits.
    levels := ARRAY[coalesce(m.sensitivity, t.default_sensitivities ->> m.channel, 'none')];
    IF m.session_id IS NOT NULL THEN levels := levels || sensitivity_given(p_tenant, m.session_id); END IF;
    IF m.type = 'consolidation' THEN
        levels := levels || ARRAY(SELECT k.sensitivity FROM memory_chunk k
            WHERE k.tenant_id = p_tenant AND k.id = ANY (superseded));
    END IF;
    SELECT l INTO sensitivity FROM unnest(levels) l
    ORDER BY array_position('{secret,high,low,none}', l) LIMIT 1;
    IF m.audience IS NOT NULL OR has_audience_rules(p_tenant) THEN
        v_audience := audience_for(p_tenant, m.audience, m.subject_type, m.subject_id, m.tags, m.type);
    END IF;
    v_audience := both_audiences(v_audience, audience_given(p_tenant, m.session_id));
    IF m.type = 'consolidation' THEN
        v_audience := both_audiences(v_audience, (
            SELECT array_agg(DISTINCT n ORDER BY n) FROM unnest(superseded) i (id) CROSS JOIN LATERAL (
                SELECT y.audience FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) y
            CROSS JOIN LATERAL unnest(y.audience) n));
    END IF;
    IF m.retention = 'ephemeral' THEN
        expires_at := ts + coalesce(m.expires_hours, t.ephemeral_hours) * interval '1 hour';
    END IF;
    -- 3. The record and its projection.
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    SELECT p_tenant, m.content_id, s.salt, m.body, sha256(s.salt || convert_to(m.body, 'UTF8'))
    FROM (SELECT uuid_send(gen_random_uuid()) AS salt) s
    RETURNING sha256 INTO content_hash;
    INSERT INTO memory_chunk (tenant_id, id, source, content_id, chunk_index, total_chunks, importance, tags,
        recorder_kind, recorded_by, recorder, scope, subject_type, subject_id, project_id, session_id, channel,
        sensitivity, ts, retention, audience)
    VALUES (p_tenant, m.id, CASE m.type WHEN 'memory' THEN 'commit' ELSE m.type END, m.content_id, 0, 1, m.importance,
        coalesce(m.tags, '{}'), me.kind, me.id, me.name, m.scope, m.subject_type, m.subject_id, m.project_id,
        m.session_id, m.channel, sensitivity, ts, m.retention, v_audience);
    INSERT INTO memory_agentmemory (tenant_id, id, agent_id, seq, type, reason, block_label, version,
        previous_block_seq, is_core, expires_at)
    VALUES (p_tenant, m.id, me.id, record_agent_memory.seq, m.type, coalesce(m.reason, ''), m.block_label,
        record_agent_memory.version, record_agent_memory.previous_block_seq, coalesce(m.is_core, false),
        record_agent_memory.expires_at);
    INSERT INTO memory_supersession (tenant_id, id, kind, agent_id, successor_id, successor_seq, superseded_id,
        superseded_seq)
    SELECT p_tenant, new_id(), m.type, me.id, m.id, record_agent_memory.seq, i.id, a.seq
    FROM unnest(superseded) i (id) CROSS JOIN LATERAL (
        SELECT y.seq FROM memory_agentmemory y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) a;
    PERFORM project_chunks(p_tenant, ARRAY[m.id]);
    PERFORM queue_embeddings(p_tenant, json_build_array(json_build_object('id', m.id)));
    -- 4. What follows from it.
    affected := superseded || superseded_below(p_tenant, superseded);
    PERFORM lock_surroundings(p_tenant, affected);
    PERFORM refold_locked_memories(p_tenant, affected);
    SELECT q.edit_id, q.retracted_by, q.patch_sha256
    INTO quarantine_id, record_agent_memory.retracted_by, record_agent_memory.patch_sha256
    FROM quarantine_removed_values(p_tenant, ARRAY[m.id]) q;
    IF m.type = 'consolidation' THEN
        PERFORM hold_consolidations(p_tenant, ARRAY(
            SELECT y.id FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = ANY (superseded)
              AND is_edited_away(y)));
        SELECT min(coalesce(a.confidence, 0.5)) INTO least_confidence FROM unnest(superseded) i (id) LEFT JOIN LATERAL (
            SELECT y.confidence FROM memory_chunkaccess y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) a ON true;
        IF least_confidence <> 0.5 THEN
            PERFORM change_confidence(p_tenant, m.id, 'consolidation', least_confidence, ts, '', NULL, false);
        END IF;
    END IF;
    SELECT y.tier, y.is_quarantined AND quarantine_id IS NULL INTO tier, is_held FROM memory_effectivechunk y
    WHERE y.tenant_id = p_tenant AND y.id = m.id;
    PERFORM owe_entry(p_tenant, m.type, m.id::text);
END $$;
