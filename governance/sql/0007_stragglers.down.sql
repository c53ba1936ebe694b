DROP FUNCTION governance_note_straggler();
