SET ROLE suture_gate;
DROP FUNCTION get_chunk_history(uuid,uuid);
DROP FUNCTION match_chunks(uuid,text,text,text,text,text,text,text,timestamptz,timestamptz,text,uuid,text[],text[],int);
DROP FUNCTION get_active_decisions(uuid,text,text,text,text,text,text[],text[],boolean,int);
DROP FUNCTION get_decisions(uuid,uuid[],text[],text[],boolean);
RESET ROLE;
