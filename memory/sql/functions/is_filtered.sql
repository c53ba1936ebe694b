-- Whether a chunk passes the filters of a search; a NULL filter matches everything. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_filtered(x memory_effectivechunk, f search_filter) RETURNS boolean LANGUAGE sql STABLE
PARALLEL SAFE AS $$
    SELECT ((f).include_archived OR x.tier <> 'archive')
       AND ((f).without_recorders IS NULL OR x.recorder <> ALL ((f).without_recorders))
       AND ((f).tag IS NULL OR x.tags @> ARRAY[(f).tag])
       AND ((f).recorder IS NULL OR x.recorder = (f).recorder)
       AND ((f).recorded_by IS NULL OR x.recorded_by = (f).recorded_by)
       AND ((f).since IS NULL OR x.ts >= (f).since) AND ((f).until IS NULL OR x.ts < (f).until)
       AND ((f).subject_ids IS NULL OR x.subject_id = ANY ((f).subject_ids))
       AND (num_nonnulls((f).actor, (f).kind) = 0 OR is_of_event(x.tenant_id, x.event_id, (f).actor, (f).kind))
       AND ((f).subject_prefix IS NULL OR starts_with(x.subject_id, (f).subject_prefix))
       AND ((f).metadata IS NULL OR has_metadata(x, (f).metadata))
       AND is_about(x, (f).channels, (f).scope, (f).subject_type, (f).subject_id, (f).project_id, (f).session_id)
$$;
