-- A refold is about one memory: a few rows by their keys. Left to estimates (a thousand rows for a function, tables that
-- were empty when the plan was made), it joined whole tables: 45 ms in a tenant of 20,000 chunks, 0.8 ms by keys
-- (measured).
SET ROLE suture_gate;
ALTER FUNCTION fold_memory(uuid,uuid,uuid) ROWS 2;
ALTER FUNCTION fold_memory(uuid,uuid,uuid,uuid[]) ROWS 2;
ALTER FUNCTION refold_memory(uuid,uuid,uuid) SET enable_seqscan = off;
ALTER FUNCTION refold_memory(uuid,uuid,uuid) SET enable_hashjoin = off;
ALTER FUNCTION refold_memory(uuid,uuid,uuid) SET enable_mergejoin = off;
RESET ROLE;
