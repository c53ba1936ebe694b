-- Whether a search may find a chunk: the reader gets it, and it passes the filters. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_found(x memory_effectivechunk, f search_filter) RETURNS boolean LANGUAGE sql STABLE
PARALLEL SAFE AS $$
    SELECT is_seen(x, (f).listening, (f).sensitivities, (f).include_quarantined)
       AND ((f).include_archived OR x.tier <> 'archive')
       AND ((f).without_recorders IS NULL OR x.recorder <> ALL ((f).without_recorders))
       AND is_about(x, (f).channels, (f).scope, (f).subject_type, (f).subject_id, (f).project_id, (f).session_id)
$$;
