-- What the tables stand on: rights on the schema, and the guards of append-only tables. Functions that are called stand in
-- functions/; those of guards are the tables' own, and change by a migration.

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO suture_app, suture_review, suture_gate;
DO $$ BEGIN EXECUTE format('REVOKE TEMP ON DATABASE %I FROM PUBLIC', current_database()); END $$;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
SET ROLE suture_gate;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
RESET ROLE;
-- makemigrations and readiness ask as the app which migrations are applied
GRANT SELECT ON django_migrations TO suture_app;

CREATE FUNCTION governance_deny_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: the table is append-only', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

-- The guard of content. A DELETE passes for a row that an approved erasure, not yet executed, names, and only from
-- within a function of the gate. That state lasts for a part of one transaction: erase_content() begins and ends it.
CREATE FUNCTION governance_deny_change_unless_erased() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_user = 'suture_gate' THEN
        IF EXISTS (
            SELECT 1 FROM public.governance_erasureitem i JOIN public.governance_erasurestate s
                ON s.tenant_id = i.tenant_id AND s.erasure_id = i.erasure_id AND s.status = 'approved'
            WHERE i.tenant_id = OLD.tenant_id AND i.content_id = OLD.id
        ) THEN RETURN OLD; END IF;
    END IF;
    RAISE EXCEPTION '% on % is refused: the table is append-only', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

-- Migrations call this for the guards that they create: a replica role must not switch them off.
CREATE FUNCTION governance_guard_always() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE guard record;
BEGIN
    FOR guard IN
        SELECT tgrelid::regclass AS relation, tgname FROM pg_trigger
        WHERE tgfoid IN ('governance_deny_change'::regproc, 'governance_deny_change_unless_erased'::regproc)
          AND tgenabled <> 'A'
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', guard.relation, guard.tgname);
    END LOOP;
END $$;
