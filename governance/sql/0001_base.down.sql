DROP FUNCTION governance_hand_to_gate(regprocedure[]);
DROP FUNCTION governance_guard_always();
DROP FUNCTION governance_deny_change();
