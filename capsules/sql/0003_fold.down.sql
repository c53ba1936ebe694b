SET ROLE suture_gate;
DROP FUNCTION retention_of_capsule(uuid,uuid);
DROP FUNCTION preview_capsule_revert(uuid,uuid,uuid);
DROP FUNCTION state_of_capsule(uuid,uuid,boolean);
DROP FUNCTION refold_capsule(uuid,uuid);
DROP FUNCTION refold_one_capsule(uuid,uuid);
DROP FUNCTION fold_capsule(uuid,uuid,uuid[]);
RESET ROLE;
