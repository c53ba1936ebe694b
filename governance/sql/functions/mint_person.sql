-- executable by: suture_session
-- A token that lets a transaction of another connection act as the person who is logged in, according to the login and
-- session code, bound to that backend and transaction. Granted only to the connection of that code.
CREATE OR REPLACE FUNCTION mint_person(p_user uuid, p_backend int, p_began timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE payload text := '|person|' || p_user;
BEGIN
    RETURN context_mac(payload, p_backend, p_began) || payload;
END $$;
