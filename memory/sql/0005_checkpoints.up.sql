-- What Django models cannot express about checkpoints: rights. The web role reads where states are; it writes nothing.

-- What the gate's functions read and write.
GRANT SELECT, INSERT ON memory_checkpoint, memory_checkpointremoval, memory_operationdone TO suture_gate;
GRANT SELECT, INSERT, UPDATE ON memory_runningsession, memory_checkpointstate, memory_checkpointusage TO suture_gate;
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_sessionturn TO suture_gate;
GRANT SELECT, INSERT, DELETE ON memory_sessionshare, memory_checkpointmemory TO suture_gate;

-- The web role's own privileges.
GRANT SELECT ON memory_runningsession, memory_sessionturn, memory_sessionshare, memory_checkpoint,
    memory_checkpointstate, memory_checkpointremoval, memory_checkpointmemory, memory_operationdone,
    memory_checkpointusage TO suture_app;
