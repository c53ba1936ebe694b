-- They answer rows of tables that go.
DROP FUNCTION IF EXISTS session_to_use, checkpoint_to_use;
REVOKE ALL ON memory_runningsession, memory_sessionturn, memory_sessionshare, memory_checkpoint,
    memory_checkpointstate, memory_checkpointremoval, memory_checkpointmemory, memory_operationdone,
    memory_checkpointusage FROM suture_gate, suture_app;
