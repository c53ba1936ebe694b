-- The functions of all apps whose names begin so. Nobody but the owner and the gate can make a function.
CREATE OR REPLACE FUNCTION erasing_functions(p_prefix text) RETURNS SETOF name LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT p.proname FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.proowner = 'suture_gate'::regrole
      AND starts_with(p.proname, p_prefix)
    ORDER BY 1
$$;

ALTER FUNCTION erasing_functions OWNER TO suture_gate;
