-- The functions of all apps whose names begin with p_prefix, to call each app's function. Only the owner and the gate
-- can create functions. The range of names uses an index, because every refold calls this.
CREATE OR REPLACE FUNCTION functions_beginning(p_prefix text) RETURNS SETOF name LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT p.proname FROM pg_proc p
    WHERE p.proname >= p_prefix::name AND p.proname < (p_prefix || '~')::name
      AND p.pronamespace = 'public'::regnamespace AND p.proowner = 'suture_gate'::regrole
    ORDER BY 1
$$;
