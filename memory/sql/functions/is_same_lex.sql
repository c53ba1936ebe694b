-- Whether two vectors of words are equal, apart from rounding by the order of addition.
CREATE OR REPLACE FUNCTION is_same_lex(p_one sparsevec, p_other sparsevec) RETURNS boolean LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT CASE WHEN num_nonnulls(p_one, p_other) = 2 THEN p_one <-> p_other < 0.001
        ELSE num_nonnulls(p_one, p_other) = 0 END
$$;
