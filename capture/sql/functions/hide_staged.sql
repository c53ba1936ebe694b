-- executable by: suture_app
-- Hide chunks of a file that the actor has just recorded (record_file_part) until their version is current. They keep
-- their embeddings.
CREATE OR REPLACE FUNCTION hide_staged(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE me acting_context := acting_writer(p_tenant);
BEGIN
    UPDATE memory_effectivechunk x SET superseded_by = x.id, is_superseded = true
    WHERE x.tenant_id = p_tenant AND x.id = ANY (p_chunks) AND x.recorded_by = me.id AND x.source = 'file'
      AND NOT is_placed_now(p_tenant, x.id);
END $$;
