-- The digest of the recorder and the subject of a chunk, and a key: another recorder's or subject's key is another one.
-- NULL without a key.
CREATE OR REPLACE FUNCTION key_digest(p_tenant uuid, p_chunk uuid, p_key text) RETURNS bytea LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF p_key IS NULL THEN RETURN NULL; END IF;
    RETURN (SELECT sha256(convert_to(
            json_build_array(k.recorder_kind, k.recorded_by, k.subject_type, k.subject_id, p_key)::text, 'UTF8'))
        FROM chunk_of(p_tenant, p_chunk) k);
END $$;
