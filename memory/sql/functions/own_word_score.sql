-- What word_score gives a chunk for its own words alone: BM25 with the parameters of lex_vector (k1 0.9, b 0.75, pivot
-- 20). ts_rank of a term that occurs once is 0.0607927, and grows with every time.
CREATE OR REPLACE FUNCTION own_word_score(p_tsv tsvector, w term_weights) RETURNS float8 LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT coalesce(sum(t.idf * 1.9 * t.tf / (t.tf + 0.9)), 0)
    FROM (SELECT u.idf, ts_rank(p_tsv, u.query) / 0.0607927 / (0.25 + 0.75 * length(p_tsv) / 20.0) AS tf
          FROM unnest((w).queries, (w).idfs) u (query, idf)) t
$$;

ALTER FUNCTION own_word_score OWNER TO suture_gate;
