-- executable by: suture_app
-- The memories of a checkpoint that have changed since then: chunks that its state names, and those delivered to its
-- maker in its session up to then. Each is compared with its state in the checkpoint or at its first delivery: first
-- what hides it now and did not then, else the latest edit that is in effect now and was not then, or vice versa.
CREATE OR REPLACE FUNCTION checkpoint_corrections(p_tenant uuid, p_checkpoint uuid)
RETURNS TABLE (chunk_id uuid, version_then int, version_now int, change text) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    c memory_checkpoint;
    v_reader reader := reader_of(p_tenant, (acting(p_tenant)).channels);
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO c FROM memory_checkpoint x WHERE x.tenant_id = p_tenant AND x.id = p_checkpoint;
    RETURN QUERY
    WITH had AS (
        SELECT m.memory_id AS id, m.version, m.standing, c.created_at AS at FROM memory_checkpointmemory m
        WHERE m.tenant_id = p_tenant AND m.checkpoint_id = p_checkpoint AND m.version IS NOT NULL
        UNION ALL
        SELECT d.chunk_id, d.version, '', d.at FROM memory_delivery d
        WHERE d.tenant_id = p_tenant AND d.session_id = c.session_id AND d.receiver_id = c.agent_id
          AND d.at <= c.created_at
    ), first AS (
        SELECT DISTINCT ON (h.id) h.* FROM had h ORDER BY h.id, h.at
    ), compared AS (
        SELECT f.id, f.version, x.edits_applied, f.standing, chunk_standing(x, statement_timestamp()) AS stands, f.at,
            EXISTS (
                SELECT FROM governance_edit e JOIN governance_editstate s ON s.tenant_id = p_tenant AND s.edit_id = e.id
                WHERE e.tenant_id = p_tenant AND e.target_id = f.id AND s.status = 'approved' AND s.applied_at > f.at
            ) AS is_edited
        FROM first f
        CROSS JOIN LATERAL (
            SELECT * FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = f.id
              AND hears(v_reader, y.audience) LIMIT 1) x
    ), judged AS (
        SELECT k.*, CASE WHEN k.stands <> '' AND k.stands <> k.standing THEN k.stands
            WHEN k.is_edited THEN coalesce(latest.change, CASE WHEN k.version <> k.edits_applied THEN 'amended' END)
            WHEN k.version <> k.edits_applied THEN 'amended' END AS change
        FROM compared k
        LEFT JOIN LATERAL (
            SELECT CASE e.op WHEN 'retract' THEN 'retracted' WHEN 'quarantine' THEN 'quarantined'
                WHEN 'block' THEN 'blocked' WHEN 'attenuate' THEN 'attenuated' WHEN 'audience' THEN 'audience'
                ELSE CASE WHEN e.content_id IS NULL THEN 'attenuated' ELSE 'amended' END END AS change
            FROM applied_edits(p_tenant, ARRAY[k.id], NULL) e
            WHERE k.is_edited AND e.op <> 'revert'
              AND (NOT e.id = ANY (cancelled_edits(p_tenant, ARRAY[k.id], NULL, NULL)))
                  <> (e.applied_at <= k.at AND NOT e.id = ANY (cancelled_edits(p_tenant, ARRAY[k.id], k.at, NULL)))
            ORDER BY e.applied_at DESC, e.id DESC LIMIT 1
        ) latest ON true
    )
    SELECT j.id, j.version, j.edits_applied, j.change FROM judged j WHERE j.change IS NOT NULL ORDER BY j.id;
END $$;
