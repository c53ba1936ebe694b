-- What word_score gives a chunk for its own words alone: BM25 with the parameters of lex_of_chunks (k1 0.9, b 0.75, pivot
-- 20). Four terms are written out, so that PostgreSQL inlines them: a sum over the terms of a query takes 20 us a chunk
-- (measured).
CREATE OR REPLACE FUNCTION own_word_score(p_tsv tsvector, w term_weights) RETURNS float8 LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT (w).idfs[1] * term_frequency(p_tsv, (w).queries[1])
        + CASE WHEN cardinality((w).queries) > 1 THEN (w).idfs[2] * term_frequency(p_tsv, (w).queries[2]) ELSE 0 END
        + CASE WHEN cardinality((w).queries) > 2 THEN (w).idfs[3] * term_frequency(p_tsv, (w).queries[3]) ELSE 0 END
        + CASE WHEN cardinality((w).queries) > 3 THEN (w).idfs[4] * term_frequency(p_tsv, (w).queries[4]) ELSE 0 END
        + CASE WHEN cardinality((w).queries) > 4 THEN fifth_and_later_score(p_tsv, w) ELSE 0 END
$$;
