-- The more sensitive of two sensitivities.
CREATE OR REPLACE FUNCTION more_sensitive(p_one text, p_other text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN array_position('{none,low,high,secret}'::text[], p_one)
                   > array_position('{none,low,high,secret}'::text[], p_other) THEN p_one ELSE p_other END
$$;
