-- These three are inlined, into lists of many capsules: a setting of their own would cost more than they do.
CREATE OR REPLACE FUNCTION capsule_amend(p_body text) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN starts_with(p_body, chr(30)) THEN substr(p_body, 2)::json END
$$;

ALTER FUNCTION capsule_amend OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION capsule_amend TO suture_review;
