REVOKE UPDATE (promotion_rules, promotion_cursor) ON governance_tenant FROM suture_gate;
