-- The tenant's own thresholds of promotion, which a change of the policy sets.
GRANT UPDATE (promotion_rules, promotion_cursor) ON governance_tenant TO suture_gate;
