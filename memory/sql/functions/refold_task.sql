-- Update the projection of one task from its fold.
CREATE OR REPLACE FUNCTION refold_task(p_tenant uuid, p_task uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM 1 FROM memory_effectivetask t WHERE t.tenant_id = p_tenant AND t.id = p_task FOR UPDATE;
    PERFORM store_rewordings_of(p_tenant, u.id, u.event_id, u.content_id, u.details_id) FROM memory_task u
    WHERE u.tenant_id = p_tenant AND u.task_id = p_task;
    UPDATE memory_effectivetask t SET update_id = f.update_id, event_id = f.event_id, content_id = f.content_id,
        details_id = f.details_id, status = f.status, ts = f.ts, is_retracted = f.is_retracted,
        is_quarantined = f.is_quarantined, blocked_channels = f.blocked_channels, edits_applied = f.edits_applied,
        -- channel, sensitivity and audience come from the update whose words the task shows
        scope = u.scope, subject_type = u.subject_type, subject_id = u.subject_id, project_id = u.project_id,
        session_id = u.session_id, channel = u.channel, sensitivity = u.sensitivity,
        audience = audience_of_event(p_tenant, u.event_id)
    FROM fold_task(p_tenant, p_task) f CROSS JOIN LATERAL (
        SELECT * FROM memory_task y WHERE y.tenant_id = p_tenant AND y.id = f.update_id LIMIT 1) u
    WHERE t.tenant_id = p_tenant AND t.id = p_task;
END $$;
