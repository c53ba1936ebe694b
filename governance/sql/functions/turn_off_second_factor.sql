-- executable by: suture_app
-- Turn off the second factor of the token's person. Returns the tenants whose ledgers need an entry.
CREATE OR REPLACE FUNCTION turn_off_second_factor(p_token text, OUT was_done boolean, OUT tenants uuid[]) LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    PERFORM FROM governance_user u WHERE u.id = person FOR NO KEY UPDATE;
    was_done := delete_second_factor(person);
    tenants := '{}';
    IF was_done THEN
        tenants := owe_everywhere(opened_by(person), 'person.second_factor_off', person);
    END IF;
END $$;
