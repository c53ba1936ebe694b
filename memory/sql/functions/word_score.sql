-- How well a chunk matches the terms of a question: BM25F, the product of its vector of words with context
-- (lex_of_chunks) with the weights of the terms. Its own words alone count for a query that looks something up, and for a
-- chunk without that vector yet. A query without terms, such as a beginning of words, ranks by ts_rank. PostgreSQL
-- inlines it.
CREATE OR REPLACE FUNCTION word_score(p_lex sparsevec, p_tsv tsvector, w term_weights) RETURNS float8 LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT CASE WHEN (w).vector IS NOT NULL AND p_lex IS NOT NULL THEN -(p_lex <#> (w).vector)
        WHEN cardinality((w).terms) = 0 THEN ts_rank(p_tsv, (w).matching)
        ELSE own_word_score(p_tsv, w) END
$$;
