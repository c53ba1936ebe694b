DROP FUNCTION governance_note_recorded();
GRANT SELECT, INSERT, DELETE ON governance_straggler TO suture_gate;
