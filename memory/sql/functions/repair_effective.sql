-- executable by: suture_owner
-- Rebuild every row that effective_drift reports: from the record, then the fold. Usage is recounted.
CREATE OR REPLACE FUNCTION repair_effective(p_tenant uuid) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    bad record;
    d memory_decision;
    mended uuid[] := '{}';
    neighbours uuid[];
    repaired bigint := 0;
BEGIN
    FOR bad IN SELECT * FROM effective_drift(p_tenant) LOOP
        repaired := repaired + 1;
        IF bad.kind = 'usage' THEN
            PERFORM recount_use(p_tenant, bad.id);
            CONTINUE;
        END IF;
        CASE bad.kind
            WHEN 'chunk' THEN
                DELETE FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = bad.id;
                PERFORM project_chunks(p_tenant, ARRAY[bad.id], (
                    SELECT jsonb_object_agg(r.later_id, r.key) FROM memory_relation r
                    WHERE r.tenant_id = p_tenant AND r.later_id = bad.id AND r.key IS NOT NULL));
                mended := mended || bad.id;
            WHEN 'decision' THEN
                DELETE FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.id = bad.id;
                INSERT INTO memory_effectivedecision (tenant_id, id, event_id, content_id, details_id, importance,
                    status, is_retracted, is_quarantined, blocked_channels, edits_applied, scope, subject_type,
                    subject_id, project_id, session_id, channel, sensitivity, ts, audience)
                SELECT p_tenant, y.id, y.event_id, y.content_id, y.details_id, 1, 'active', false, false, '{}', 0,
                    y.scope, y.subject_type, y.subject_id, y.project_id, y.session_id, y.channel, y.sensitivity, y.ts,
                    y.audience
                FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.id = bad.id;
            ELSE
                DELETE FROM memory_effectivetask x WHERE x.tenant_id = p_tenant AND x.id = bad.id;
                INSERT INTO memory_effectivetask (tenant_id, id, update_id, event_id, content_id, details_id, status,
                    is_retracted, is_quarantined, blocked_channels, edits_applied, scope, subject_type, subject_id,
                    project_id, session_id, channel, sensitivity, ts, audience)
                SELECT p_tenant, y.task_id, y.id, y.event_id, y.content_id, y.details_id, y.status, false, false,
                    '{}', 0, y.scope, y.subject_type, y.subject_id, y.project_id, y.session_id, y.channel,
                    y.sensitivity, y.ts, y.audience
                FROM memory_task y WHERE y.tenant_id = p_tenant AND y.task_id = bad.id
                ORDER BY y.ts DESC, y.id DESC LIMIT 1;
        END CASE;
        CONTINUE WHEN bad.problem = 'without a record';
        CASE bad.kind
            WHEN 'chunk' THEN
                PERFORM refold_memory(p_tenant, k.event_id, bad.id) FROM chunk_of(p_tenant, bad.id) k;
                PERFORM void_derived(p_tenant, ARRAY[bad.id]);  -- it was derived from the drifted row
            WHEN 'decision' THEN
                PERFORM refold_one_decision(p_tenant, bad.id);
                -- the status follows from the successor's row, which may have been missing until now
                SELECT * INTO d FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.id = bad.id;
                IF d.supersedes_id IS NOT NULL THEN PERFORM refold_one_decision(p_tenant, d.supersedes_id); END IF;
            ELSE PERFORM refold_task(p_tenant, bad.id);
        END CASE;
    END LOOP;
    IF repaired > 0 THEN  -- neighbours of repaired rows had borrowed wrong words
        neighbours := surroundings_of(p_tenant, mended) || ARRAY(
            SELECT f.id FROM effective_drift(p_tenant) f WHERE f.kind = 'chunk' ORDER BY 1);
        PERFORM change_context(p_tenant, refresh_context(p_tenant, neighbours), true);
    END IF;
    RETURN repaired;
END $$;
