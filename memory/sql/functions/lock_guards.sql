-- executable by: suture_app
-- Wait until no other transaction changes what the tenant's guards keep out, and keep it so until the end of this one.
-- Whoever records takes this lock first, shared: a text is recorded either before a value is forgotten everywhere, or
-- after that with the value cut. p_changes: to change it. Returns whether there are guards.
CREATE OR REPLACE FUNCTION lock_guards(p_tenant uuid, p_changes boolean) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_changes THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('guards of ' || p_tenant, 0));
    ELSE
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('guards of ' || p_tenant, 0));
    END IF;
    RETURN has_guards(p_tenant);
END $$;
