-- Whose words a value has: see authorship_of_target. What an agent says of its own memory alone is its own; everything
-- else counts as a person's. The chunks that say the value are records of the same memory.
CREATE OR REPLACE FUNCTION authorship_of_value(
    p_tenant uuid, p_value uuid, OUT recorder_kind text, OUT recorded_by uuid, OUT targets uuid[], OUT is_guarded boolean,
    OUT is_received boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    v memory_value;
BEGIN
    SELECT * INTO STRICT v FROM memory_value x WHERE x.tenant_id = p_tenant AND x.id = p_value;
    recorded_by := v.recorded_by;
    recorder_kind := CASE WHEN me.kind = 'agent' AND v.by_recorder = me.name AND v.recorded_by = me.id THEN 'agent' ELSE 'human' END;
    targets := p_value || ARRAY(
        SELECT s.chunk_id FROM chunks_saying(p_tenant, v, words_of_value(p_tenant, p_value), 1000) s
        WHERE recorder_kind = 'agent' AND s.is_said);
    is_guarded := false; is_received := false;
END $$;
