-- executable by: suture_operator, suture_owner
-- A token that lets a transaction of another connection work as a job or for the operator: bound to that backend and that
-- transaction. Granted to the connection of workers and of commands alone.
CREATE OR REPLACE FUNCTION mint_operator(p_backend int, p_began timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
    RETURN context_mac('|operator|', p_backend, p_began) || '|operator|';
END $$;
