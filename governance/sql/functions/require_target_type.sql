-- Refuse an unknown kind of target, which has no functions.
CREATE OR REPLACE FUNCTION require_target_type(p_target_type text) RETURNS void LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
BEGIN
    IF p_target_type IS NULL
        OR to_regproc(format('%I', 'state_of_' || p_target_type)) IS NULL THEN
        RAISE EXCEPTION 'you cannot edit a %', coalesce(p_target_type, 'target without a type')
            USING ERRCODE = 'SU400';
    END IF;
END $$;
