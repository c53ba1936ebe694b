-- executable by: suture_app, suture_review
-- Whether the bit of each of these audiences is 1.
CREATE OR REPLACE FUNCTION hears_each(p_heard varbit, p_audience int[]) RETURNS boolean LANGUAGE sql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT bool_and(CASE WHEN n < length(p_heard) THEN get_bit(p_heard, n) = 1 ELSE false END) FROM unnest(p_audience) n
$$;
