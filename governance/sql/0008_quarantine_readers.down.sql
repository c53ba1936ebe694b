REVOKE UPDATE (reads_quarantined) ON governance_agent FROM suture_gate;
