REVOKE UPDATE (ephemeral_hours) ON governance_tenant FROM suture_gate;
