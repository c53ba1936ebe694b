-- The functions of all apps whose names begin with this: how a step finds the function of each app. Nobody but the owner and the
-- gate can make a function. Between two names, which an index finds: a refold asks this every time.
CREATE OR REPLACE FUNCTION functions_beginning(p_prefix text) RETURNS SETOF name LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT p.proname FROM pg_proc p
    WHERE p.proname >= p_prefix::name AND p.proname < (p_prefix || '~')::name
      AND p.pronamespace = 'public'::regnamespace AND p.proowner = 'suture_gate'::regrole
    ORDER BY 1
$$;

ALTER FUNCTION functions_beginning OWNER TO suture_gate;
