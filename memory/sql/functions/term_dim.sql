-- The dimension of a stem in the vectors of words (lex_of_chunks): 28 bits of its digest, counted from 1. One in
-- 268,435,456 pairs of stems shares a dimension.
CREATE OR REPLACE FUNCTION term_dim(p_term text) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ('x' || left(md5(p_term), 7))::bit(28)::int + 1
$$;
