-- executable by: suture_operator, suture_owner
-- A token that lets a transaction of another connection act as a job or as the operator, bound to that backend and
-- transaction. Granted only to the connection of workers and commands.
CREATE OR REPLACE FUNCTION mint_operator(p_backend int, p_began timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
    RETURN context_mac('|operator|', p_backend, p_began) || '|operator|';
END $$;
