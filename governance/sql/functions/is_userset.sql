-- Whether a text is a userset of an audience: a principal, or `type:id#relation` for all who stand in that relation to it.
CREATE OR REPLACE FUNCTION is_userset(p_userset text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT is_principal(split_part(p_userset, '#', 1))
        AND (p_userset NOT LIKE '%#%' OR is_relation(substr(p_userset, strpos(p_userset, '#') + 1)))
$$;
