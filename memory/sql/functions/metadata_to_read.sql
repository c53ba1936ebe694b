-- The metadata of a chunk without the values that are forgotten or replaced.
CREATE OR REPLACE FUNCTION metadata_to_read(x memory_effectivechunk) RETURNS jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF x.metadata IS NULL OR NOT has_guards(x.tenant_id) THEN RETURN x.metadata; END IF;
    RETURN reworded_json(x.tenant_id, x.metadata, place_of_record(x.tenant_id, x.id));
END $$;
