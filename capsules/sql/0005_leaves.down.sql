SET ROLE suture_gate;
DROP FUNCTION erasable_of_capsules(uuid,text,uuid,text,text);
DROP FUNCTION contents_of_capsule(uuid,uuid[]);
DROP FUNCTION leaves_of_capsule_audience(uuid,uuid[]);
DROP FUNCTION leaves_of_capsule_item(uuid,uuid[]);
DROP FUNCTION leaves_of_capsule(uuid,uuid[]);
RESET ROLE;
