-- A token that lets a transaction of another connection work as a job or for the operator: bound to that backend and that
-- transaction. Granted to the connection of workers and of commands alone.
CREATE OR REPLACE FUNCTION mint_operator(p_backend int, p_began timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN context_mac('|operator|', p_backend, p_began) || '|operator|';
END $$;

ALTER FUNCTION mint_operator OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION mint_operator TO suture_operator, suture_owner;
