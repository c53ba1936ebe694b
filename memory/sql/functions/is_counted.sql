-- Whether the statistics of terms count a chunk: whatever hides it from some readers leaves it out, so that the order of
-- results tells nobody how often a word is in memory that they may not read. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_counted(x memory_effectivechunk) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NOT x.is_retracted AND x.superseded_by IS NULL AND NOT x.is_quarantined
       AND x.sensitivity IN ('none', 'low') AND x.blocked_channels = '{}'
$$;

ALTER FUNCTION is_counted OWNER TO suture_gate;
