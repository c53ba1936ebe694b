SET ROLE suture_gate;
DROP FUNCTION repair_capsules(uuid);
DROP FUNCTION capsules_drift(uuid);
DROP FUNCTION expected_capsules(uuid);
RESET ROLE;
REVOKE DELETE ON capsules_effectivecapsule FROM suture_gate;
