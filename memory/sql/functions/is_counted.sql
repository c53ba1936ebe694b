-- Whether the statistics of terms count a chunk for a reader with these labels (sensitivities_heard; NULL: for anyone):
-- it is in one of the reader's channels, and everyone in that channel may read it. So neither the order of results nor a
-- suggestion reveals a word of memory that the reader may not read. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_counted(x memory_effectivechunk, p_labels text[]) RETURNS boolean LANGUAGE sql STABLE
PARALLEL SAFE AS $$
    SELECT is_seen(x, '{private,public,team,agent}', ROW('{private,public,team,agent,none,low}', false, '')::reader, false)
       AND (p_labels IS NULL OR x.channel = ANY (p_labels))
$$;
