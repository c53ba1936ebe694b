DROP TYPE acting_context CASCADE;
DROP TABLE governance_contextsecret;
SET ROLE suture_gate;
DROP FUNCTION context_tenant() CASCADE;
DROP FUNCTION governance_refuse_owed_entry();
DROP FUNCTION governance_note_recorded();
RESET ROLE;
DROP FUNCTION governance_deny_change(), governance_deny_change_unless_erased(), governance_guard_always();
REVOKE SELECT ON django_migrations FROM suture_app;
