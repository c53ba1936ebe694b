-- The last of the triggers that called it is gone.
DROP FUNCTION governance_note_straggler();
