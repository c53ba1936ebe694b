-- executable by: suture_app
-- Whether the actor may replace a chunk by a record that updates it: its own at once; another's only if an amend of it
-- would neither wait for approval nor count among the edits that an agent makes at once in an hour, because updates are
-- not counted.
CREATE OR REPLACE FUNCTION may_replace(p_tenant uuid, p_chunk uuid) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    k memory_chunk;
BEGIN
    SELECT * INTO k FROM chunk_of(p_tenant, p_chunk);
    IF k.recorded_by = me.id AND k.recorder_kind = me.kind THEN RETURN true; END IF;
    RETURN (SELECT a.approvals = 0 AND NOT a.is_counted
            FROM approvals_of_edit(p_tenant, 'amend', 'chunk', k.id, k.sensitivity, 1, false) a);
END $$;
