SET ROLE suture_gate;
DROP FUNCTION amended_text(uuid,uuid);
DROP FUNCTION get_events(uuid,uuid[],text[],text[],boolean);
DROP FUNCTION get_timeline(uuid,uuid,int,text[],text[],text[],boolean,int);
DROP FUNCTION get_chunks(uuid,uuid[],text[],text[],boolean);
DROP FUNCTION search_chunks(uuid,text,text[],text[],text[],boolean,text,text,text,text,text,int);
RESET ROLE;
