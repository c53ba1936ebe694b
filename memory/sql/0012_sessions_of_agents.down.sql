REVOKE UPDATE ON memory_sessionshare FROM suture_gate;
