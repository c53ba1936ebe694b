-- What every later migration stands on: rights on the schema, and the append-only guard.

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO suture_app, suture_review, suture_gate;
DO $$ BEGIN EXECUTE format('REVOKE TEMP ON DATABASE %I FROM PUBLIC', current_database()); END $$;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
-- makemigrations and readiness ask as the app which migrations are applied
GRANT SELECT ON django_migrations TO suture_app;

CREATE FUNCTION governance_deny_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: the table is append-only', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

-- Migrations call this for the guards that they create: a replica role must not switch them off.
CREATE FUNCTION governance_guard_always() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE guard record;
BEGIN
    FOR guard IN
        SELECT tgrelid::regclass AS relation, tgname FROM pg_trigger
        WHERE tgfoid = 'governance_deny_change'::regproc AND tgenabled <> 'A'
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', guard.relation, guard.tgname);
    END LOOP;
END $$;

-- Migrations call this after creating gate functions: they run with the rights of the gate and nobody else's.
CREATE FUNCTION governance_hand_to_gate(functions regprocedure[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE one regprocedure;
BEGIN
    GRANT CREATE ON SCHEMA public TO suture_gate;  -- ALTER FUNCTION ... OWNER asks it of the new owner
    FOREACH one IN ARRAY functions LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', one);
        EXECUTE format('ALTER FUNCTION %s OWNER TO suture_gate', one);
    END LOOP;
    REVOKE CREATE ON SCHEMA public FROM suture_gate;
END $$;
