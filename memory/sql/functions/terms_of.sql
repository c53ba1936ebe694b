-- The index terms of a row. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION terms_of(x memory_effectivechunk) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT index_terms(x.tenant_id, x.id, x.ts, x.channel, x.scope, x.subject_type, x.subject_id, x.project_id,
        x.session_id, x.tsv)
$$;

ALTER FUNCTION terms_of OWNER TO suture_gate;
