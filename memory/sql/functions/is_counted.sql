-- Whether the statistics of terms count a chunk: if everybody may read it, in whichever channel they listen. So the order
-- of results tells nobody how often a word is in memory that they may not read. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_counted(x memory_effectivechunk) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT is_seen(x, '{private,public,team,agent}', '{private,public,team,agent,none,low}', false)
$$;
