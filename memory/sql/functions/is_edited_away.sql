-- Whether an edit hides a chunk from all or some of its readers. People check what is based on such a chunk
-- (hold_consolidations). PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_edited_away(x memory_effectivechunk) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT x.is_retracted OR x.is_quarantined OR x.blocked_channels <> '{}'
$$;
