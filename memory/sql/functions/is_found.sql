-- Whether a search may find a chunk: the reader gets it, and it passes the filters. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_found(x memory_effectivechunk, f search_filter) RETURNS boolean LANGUAGE sql STABLE
PARALLEL SAFE AS $$
    SELECT is_seen(x, (f).listening, (f).reader, (f).include_quarantined) AND is_filtered(x, f)
$$;
