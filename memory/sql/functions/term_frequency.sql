-- The weight of a term in a text, from 0 to 1.9: its frequency, relative to the length of the text, saturated
-- (lex_of_chunks).
-- ts_rank of a term that occurs once is 0.0607927, and grows with every time: in 1.9 f / (f + 0.9), where f is ts_rank
-- / 0.0607927 / (0.25 + 0.75 length / 20). PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION term_frequency(p_tsv tsvector, p_term tsquery) RETURNS float8 LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT 1.9::float8 - 1.71::float8 / (ts_rank(p_tsv, p_term) / 0.0607927::float8
        / (0.25::float8 + 0.0375::float8 * length(p_tsv)) + 0.9::float8)
$$;
