-- executable by: suture_app
-- What concerns the actor in the governance chain after an entry, oldest first: verdicts on edits that it proposed, and
-- corrections by others of memory that it had received and may hear now. The last row has the number of the last entry
-- that was read, of at most p_limit, and no kind: the next call continues there. A NULL or unknown number is the end of
-- the chain. Entries are in the order of their commits, so none is missed.
CREATE OR REPLACE FUNCTION notices_since(p_tenant uuid, p_after bigint, p_limit int) RETURNS TABLE (
    seq bigint, kind text, at timestamptz, edit_id uuid, change text, chunk_id uuid, memory_id uuid, decider text,
    reason text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    v_reader reader := reader_of(p_tenant, me.channels);
    v_chain governance_chain;
    v_from bigint;
    v_to bigint;
BEGIN
    SELECT * INTO v_chain FROM governance_chain c WHERE c.tenant_id = p_tenant AND c.name = 'governance';
    v_from := CASE WHEN p_after BETWEEN 0 AND v_chain.seq THEN p_after ELSE v_chain.seq END;
    v_to := least(v_from + p_limit, v_chain.seq);
    RETURN QUERY
    WITH ends AS MATERIALIZED (
        SELECT n.seq, n.ts, n.type, n.is_in_effect, e.*
        FROM (
            SELECT y.seq, y.ts, y.type, i.id,
                y.type IN ('edit.approved', 'edits.proposed') AND (y.metadata ->> 'in_effect')::boolean AS is_in_effect
            FROM governance_entry y
            CROSS JOIN LATERAL jsonb_array_elements_text(
                CASE WHEN y.type = 'edits.proposed' THEN y.metadata -> 'edits'
                     ELSE jsonb_build_array(y.metadata ->> 'edit') END) i (id)
            WHERE y.tenant_id = p_tenant AND y.chain_id = v_chain.id AND y.seq > v_from AND y.seq <= v_to
              AND y.type IN ('edit.approved', 'edit.rejected', 'edit.withdrawn', 'edit.expired', 'edits.proposed')
        ) n
        CROSS JOIN LATERAL (
            SELECT x.id, x.op, x.channel, x.target_type, x.target_id, x.proposed_by, x.content_id, x.approvals_required
            FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = n.id::uuid LIMIT 1) e
    ), changed AS (
        SELECT d.*, c.id AS chunk_id FROM ends d
        CROSS JOIN LATERAL (
            SELECT d.target_id WHERE d.target_type = 'chunk'
            UNION ALL
            SELECT r.record_id FROM memory_rewording r
            WHERE d.target_type = 'value' AND r.tenant_id = p_tenant AND r.value_ids @> ARRAY[d.target_id]
        ) c (id)
        -- a block for one agent alone tells it nothing (hide_from_recorder)
        WHERE d.is_in_effect AND d.proposed_by <> me.id AND d.channel IS NOT DISTINCT FROM split_part(d.channel, ':', 1)
    ), told AS (
        SELECT d.seq, 'verdict' AS kind, d.ts, d.id, split_part(d.type, '.', 2) AS change, NULL::uuid AS chunk_id,
            NULL::uuid AS memory_id, v.decider, v.reason
        FROM ends d
        LEFT JOIN LATERAL (
            SELECT w.decider, w.reason FROM governance_verdict w WHERE w.tenant_id = p_tenant AND w.edit_id = d.id
            ORDER BY w.decided_at DESC, w.id DESC LIMIT 1) v ON true
        WHERE d.proposed_by = me.id AND d.approvals_required > 0
          AND (d.is_in_effect OR d.type NOT IN ('edit.approved', 'edits.proposed'))
        UNION ALL
        SELECT d.seq, 'correction', d.ts, d.id,
            CASE d.op WHEN 'retract' THEN CASE d.target_type WHEN 'value' THEN 'amended' ELSE 'retracted' END
                WHEN 'quarantine' THEN 'quarantined' WHEN 'block' THEN 'blocked' WHEN 'audience' THEN 'audience'
                WHEN 'revert' THEN 'reverted'
                ELSE CASE WHEN d.content_id IS NULL THEN 'attenuated' ELSE 'amended' END END,
            x.id, coalesce(x.event_id, x.id), NULL, NULL
        FROM changed d
        CROSS JOIN LATERAL (
            SELECT y.id, y.event_id FROM memory_effectivechunk y
            WHERE y.tenant_id = p_tenant AND y.id = d.chunk_id AND y.channel = ANY (me.channels)
              AND hears(v_reader, y.audience) LIMIT 1) x
        WHERE EXISTS (
            SELECT FROM memory_delivery g
            WHERE g.tenant_id = p_tenant AND g.chunk_id = d.chunk_id AND g.receiver_kind = me.kind
              AND g.receiver_id = me.id AND g.at <= d.ts)
    )
    SELECT * FROM (
        SELECT * FROM told
        UNION ALL SELECT v_to, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    ) o ORDER BY o.seq, o.kind NULLS LAST, o.chunk_id;
END $$;
