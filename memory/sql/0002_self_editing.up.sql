-- What Django models cannot express about an agent's own memory: rights, a view and row types.

-- What the gate's functions read and write.
GRANT SELECT, INSERT ON memory_agentmemory, memory_supersession, memory_delivery TO suture_gate;
GRANT SELECT, INSERT, UPDATE ON memory_chunkaccess TO suture_gate;

-- The web role's own privileges: none of these has words.
GRANT SELECT ON memory_agentmemory, memory_supersession, memory_delivery, memory_chunkaccess TO suture_app;
GRANT SELECT ON memory_agentmemory, memory_supersession TO suture_review;
GRANT SELECT (is_superseded, seq, block_label, is_core, expires_at, is_expired) ON memory_effectivechunk
    TO suture_app, suture_review;

-- Which memory each consolidation superseded, as the specification prints it: under the reader's own rights.
CREATE VIEW consolidations WITH (security_invoker = true) AS
SELECT s.tenant_id, s.agent_id, s.successor_seq AS consolidation_seq, s.superseded_seq FROM memory_supersession s
WHERE s.kind = 'consolidation';

GRANT SELECT ON consolidations TO suture_app;

-- A memory of an agent's chain as its agent sees it. `superseded_by` is a number of the chain.
CREATE TYPE agent_memory_row AS (
    seq bigint, chunk_id uuid, type text, content text, content_hash text, importance numeric, retention text, tier text, ts timestamptz,
    channel text, sensitivity text, scope text, subject_type text, subject_id text, project_id text, session_id text,
    tags text[], is_superseded boolean, superseded_by bigint, supersedes bigint[], reason text, block_label text,
    version int, previous_block_seq bigint, is_core boolean, expires_at timestamptz, edits_applied int,
    is_quarantined boolean, access_count bigint, last_accessed timestamptz
);
