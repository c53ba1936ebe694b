SET ROLE suture_gate;
DROP FUNCTION record_summary(uuid,text,uuid,json,json);
DROP FUNCTION record_events(uuid,text,uuid,json,json,json,json,json,json);
DROP FUNCTION recorder_name(uuid,text,uuid);
DROP FUNCTION project_chunks(uuid,uuid[]);
DROP FUNCTION span_of(text,int,int);
RESET ROLE;
DROP INDEX effective_chunk_tsv;
ALTER TABLE memory_effectivechunk DROP COLUMN tsv;
