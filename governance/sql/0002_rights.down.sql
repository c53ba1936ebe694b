DROP TYPE target_preview, applied_edit CASCADE;
DROP TRIGGER entry_is_appended ON governance_owedentry;
DROP INDEX entry_mentions;
DROP FUNCTION entry_mentions(jsonb);
ALTER TABLE governance_erasurestate DROP CONSTRAINT erasure_state_of_erasure_as_proposed;
ALTER TABLE governance_verdict DROP CONSTRAINT verdict_of_edit_as_reviewed;
