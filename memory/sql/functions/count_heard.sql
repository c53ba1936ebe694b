-- The sum of counts by channel (private, public, team, agent) over the channels among a reader's labels
-- (sensitivities_heard), or of all if they are NULL. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION count_heard(p_counts int[], p_labels text[]) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sum(u.count) FROM unnest(p_counts, '{private,public,team,agent}'::text[]) u (count, channel)
    WHERE p_labels IS NULL OR u.channel = ANY (p_labels)
$$;
