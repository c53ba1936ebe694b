-- Whether a person is an active superuser.
CREATE OR REPLACE FUNCTION is_superuser(p_user uuid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT EXISTS (SELECT FROM governance_user u WHERE u.id = p_user AND u.is_superuser AND u.is_active)
$$;
