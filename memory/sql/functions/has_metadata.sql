-- Whether a chunk has metadata that fulfil a condition (docs/memories.md), also without the values that are forgotten or
-- replaced. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION has_metadata(x memory_effectivechunk, p_condition jsonpath) RETURNS boolean LANGUAGE sql STABLE
PARALLEL SAFE AS $$
    SELECT tenant_metadata(x.tenant_id, x.metadata) @@ p_condition
       AND (NOT has_guards(x.tenant_id) OR tenant_metadata(x.tenant_id, metadata_to_read(x)) @@ p_condition)
$$;
