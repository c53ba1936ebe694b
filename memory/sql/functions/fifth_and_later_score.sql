-- What the fifth and later terms of a query add to own_word_score.
CREATE OR REPLACE FUNCTION fifth_and_later_score(p_tsv tsvector, w term_weights) RETURNS float8 LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT sum(t.idf * term_frequency(p_tsv, t.query)) FROM unnest((w).queries[5:], (w).idfs[5:]) t (query, idf)
$$;
