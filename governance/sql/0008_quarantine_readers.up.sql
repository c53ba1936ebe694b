-- Only set_quarantine_reader() changes it.
GRANT UPDATE (reads_quarantined) ON governance_agent TO suture_gate;
