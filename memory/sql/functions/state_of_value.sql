-- executable by: suture_app, suture_review
-- A hash of the state of a value that an edit changes: whether it is forgotten or replaced, and by what. With p_lock, no
-- other transaction changes guards or records until the end of this one.
CREATE OR REPLACE FUNCTION state_of_value(p_tenant uuid, p_value uuid, p_lock boolean) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_lock THEN PERFORM lock_guards(p_tenant, true); END IF;
    RETURN (SELECT encode(sha256(convert_to(concat_ws('|', p_value, g.id, g.instead_id), 'UTF8')), 'hex')
            FROM (SELECT 1) one LEFT JOIN memory_guard g ON g.tenant_id = p_tenant AND g.id = p_value);
END $$;
