SET ROLE suture_gate;
DROP FUNCTION list_memberships(uuid);
RESET ROLE;
