DROP INDEX entry_mentions;
SET ROLE suture_gate;
DROP FUNCTION entries_mentioning(uuid,text,int);
DROP FUNCTION entry_mentions(jsonb);
RESET ROLE;
