-- executable by: suture_app
-- The recorders whose recordings or edits leave what is usual, for alarms:
--   records  at least 500 chunks since p_first, the first id of the last ten minutes, and three times as many as the whole
--            tenant usually records in that time, p_usual
--   edits    agents that made as many edits of others' memory at once in an hour as the tenant allows, or that have as
--            many pending edits as it allows (approvals_of_edit)
-- Only the newest 50,000 chunks are counted, so that a large import costs no more than that. Agents are few.
CREATE OR REPLACE FUNCTION unusual_recorders(p_tenant uuid, p_first uuid, p_usual bigint) RETURNS TABLE (
    recorder_id uuid, recorder text, what text, number bigint, usual bigint
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN QUERY
    SELECT n.recorded_by, min(n.recorder), 'records', count(*), p_usual FROM (
        SELECT c.recorded_by, c.recorder FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.id >= p_first
        ORDER BY c.id DESC LIMIT 50000) n
    GROUP BY n.recorded_by HAVING count(*) >= greatest(500, 3 * p_usual);
    RETURN QUERY
    SELECT a.id, a.slug::text, 'edits', greatest(s.at_once, s.pending), t.agent_edits_per_hour::bigint
    FROM governance_tenant t
    CROSS JOIN LATERAL (SELECT y.* FROM governance_agent y WHERE y.tenant_id = p_tenant OFFSET 0) a
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE y.status = 'pending') AS pending,
            count(*) FILTER (WHERE y.status = 'approved') AS at_once
        FROM governance_editstate y
        WHERE y.tenant_id = p_tenant AND y.counts_against = a.id AND (y.status = 'pending' OR y.status = 'approved'
          AND y.created_at > statement_timestamp() - interval '1 hour' AND y.approved_by LIKE 'policy:%')) s
    WHERE t.id = p_tenant AND (s.at_once >= greatest(1, t.agent_edits_per_hour)
        OR s.pending >= greatest(1, t.agent_pending_edits));
END $$;
