-- A setting of the tenant, which change_tenant() changes.
GRANT UPDATE (ephemeral_hours) ON governance_tenant TO suture_gate;
