-- executable by: suture_session
-- A token that lets a transaction of another connection act as a person, once the login and session code has found who
-- is logged in: bound to that backend and that transaction. Granted to the connection of that code alone.
CREATE OR REPLACE FUNCTION mint_person(p_user uuid, p_backend int, p_began timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE payload text := '|person|' || p_user;
BEGIN
    RETURN context_mac(payload, p_backend, p_began) || payload;
END $$;
