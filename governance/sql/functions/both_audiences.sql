-- What a record that is made from two others stores: a reader must hear the audiences of both. NULL is the default.
CREATE OR REPLACE FUNCTION both_audiences(p_one int[], p_other int[]) RETURNS int[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN p_one IS NULL THEN p_other WHEN p_other IS NULL OR p_other <@ p_one THEN p_one
        ELSE ARRAY(SELECT DISTINCT n FROM unnest(p_one || p_other) n ORDER BY n) END
$$;
