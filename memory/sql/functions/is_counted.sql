-- Whether the statistics of terms count a chunk: only if everybody may read it, in any channel. So the order of results
-- does not reveal how often a word occurs in memory that the reader may not read. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_counted(x memory_effectivechunk) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT is_seen(x, '{private,public,team,agent}', '{private,public,team,agent,none,low}', false)
$$;
