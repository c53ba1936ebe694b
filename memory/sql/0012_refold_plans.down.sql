SET ROLE suture_gate;
ALTER FUNCTION refold_memory(uuid,uuid,uuid) RESET enable_mergejoin;
ALTER FUNCTION refold_memory(uuid,uuid,uuid) RESET enable_hashjoin;
ALTER FUNCTION refold_memory(uuid,uuid,uuid) RESET enable_seqscan;
ALTER FUNCTION fold_memory(uuid,uuid,uuid,uuid[]) ROWS 1000;
ALTER FUNCTION fold_memory(uuid,uuid,uuid) ROWS 1000;
RESET ROLE;
