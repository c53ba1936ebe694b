-- Whether an edit hides a chunk from all or some of its readers. What is built on such a chunk is looked at by people
-- (hold_consolidations). PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_edited_away(x memory_effectivechunk) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT x.is_retracted OR x.is_quarantined OR x.blocked_channels <> '{}'
$$;
