-- A time as microseconds since 1970, for leaves, independent of the session's time zone.
CREATE OR REPLACE FUNCTION microseconds(p_moment timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$ SELECT (extract(epoch FROM p_moment) * 1000000)::bigint $$;
