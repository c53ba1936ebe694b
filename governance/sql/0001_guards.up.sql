-- What the tables stand on: rights on the schema, and the guards of append-only tables. Functions that are called stand in
-- functions/; those of guards are the tables' own, and change by a migration.

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO suture_app, suture_review, suture_session, suture_operator, suture_gate;
DO $$ BEGIN EXECUTE format('REVOKE TEMP ON DATABASE %I FROM PUBLIC', current_database()); END $$;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
SET ROLE suture_gate;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
RESET ROLE;
-- makemigrations and readiness ask as the app which migrations are applied
GRANT SELECT ON django_migrations TO suture_app;

-- The context of a transaction says who acts: tenant, kind and id of the principal, roles and channels, under a MAC that
-- is bound to the backend and the transaction (docs/decisions/0008-verified-context.md). Only the gate can read the
-- secret, so SQL of any other role can neither forge a context, nor replay one in a later transaction, nor use another
-- backend's.
CREATE TABLE governance_contextsecret (secret bytea NOT NULL CHECK (octet_length(secret) = 32));
INSERT INTO governance_contextsecret VALUES (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
GRANT SELECT ON governance_contextsecret TO suture_gate;

-- held_by: the person who issued the key that opened the context, and may have kept a copy of it.
CREATE TYPE acting_context AS (
    tenant_id uuid, kind text, id uuid, name text, roles text[], channels text[], held_by uuid
);

GRANT CREATE ON SCHEMA public TO suture_gate;
SET ROLE suture_gate;
-- The tenant of the verified context; NULL without one, so that row security shows no rows. What every policy compares
-- with. Evaluated once a scan where an index begins with the tenant, as every one does: 15 microseconds (measured).
CREATE FUNCTION context_tenant() RETURNS uuid LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    given text := current_setting('suture.context', true);
    s bytea;
BEGIN
    IF given IS NULL OR given = '' THEN RETURN NULL; END IF;
    SELECT x.secret INTO s FROM governance_contextsecret x;
    -- as context_mac() makes it; spelled out, since a call would double the cost
    IF left(given, 64) <> encode(sha256(s || sha256(s || int4send(pg_backend_pid())
        || timestamptz_send(transaction_timestamp()) || convert_to(substr(given, 65), 'UTF8'))), 'hex')
    THEN
        RAISE EXCEPTION 'the context of this transaction was not opened by a credential' USING ERRCODE = 'SU403';
    END IF;
    RETURN substr(given, 74, 36)::uuid;  -- behind '|context|'
END $$;
GRANT EXECUTE ON FUNCTION context_tenant() TO suture_app, suture_review, suture_owner;

-- What a transaction owes the ledger when it commits (governance_owedentry): whoever changed roles, keys, accounts or
-- policies, by whatever SQL, has appended the entries, or changes nothing.
CREATE FUNCTION governance_refuse_owed_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM governance_owedentry o WHERE o.tenant_id = NEW.tenant_id AND o.id = NEW.id) THEN
        RAISE EXCEPTION 'a change of roles, keys, accounts or policies has no entry in the ledger: %', NEW.type
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION governance_refuse_owed_entry() TO suture_owner;

-- Note the rows of a statement in a setting of the transaction, as 'tenant table id,id;', which recorded_rows reads. The
-- setting goes with the transaction, and back with a savepoint. To clear it gains nothing: rows without a receipt are not
-- sealed, and raise an alarm.
CREATE FUNCTION governance_note_recorded() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM set_config('suture.recorded', concat(current_setting('suture.recorded', true), (
        SELECT string_agg(concat(n.tenant_id, ' ', TG_TABLE_NAME, ' ', n.ids, ';'), '') FROM (
            SELECT r.tenant_id, string_agg(r.id::text, ',' ORDER BY r.id) AS ids FROM recorded r GROUP BY r.tenant_id) n)), true);
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION governance_note_recorded() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION governance_note_recorded() TO suture_owner;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;

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

-- Migrations call this for the guards that they create: a replica role must not disable them.
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
