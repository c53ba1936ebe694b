-- The last of the triggers that called it is gone.
-- squawk-ignore ban-drop-function
DROP FUNCTION governance_note_straggler();
