SET ROLE suture_gate;
DROP FUNCTION append_entry(uuid,uuid,uuid,bigint,timestamptz,text,text,bytea,jsonb,bytea,bytea);
DROP FUNCTION lock_chain(uuid,text);
RESET ROLE;
