-- Whether a text names a principal or an object, `type:id`. A lone * as an id would look like all principals of a type.
CREATE OR REPLACE FUNCTION is_principal(p_name text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT p_name ~ '^[a-z][a-z0-9_]{0,49}:[^#|[:cntrl:]]{1,200}$' AND p_name !~ '^[^:]*:(\s|\*$)|\s$'
$$;
