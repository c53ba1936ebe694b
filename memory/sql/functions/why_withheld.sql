-- Why words are withheld from those listening; NULL where they are not.
CREATE OR REPLACE FUNCTION why_withheld(
    p_sensitivity text, p_blocked text[], p_quarantined boolean, p_listening text[], p_sensitivities text[],
    p_include_quarantined boolean
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN NOT p_sensitivity = ANY (p_sensitivities) THEN 'sensitivity'
                WHEN p_blocked && p_listening THEN 'blocked'
                WHEN p_quarantined AND NOT p_include_quarantined THEN 'quarantined' END
$$;

ALTER FUNCTION why_withheld OWNER TO suture_gate;
