-- Refuse edits of values other than retracts, amends of the text and their reverts, and new words that say what a guard
-- keeps out.
CREATE OR REPLACE FUNCTION check_edit_of_value(p_tenant uuid, p_edit uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
    e governance_edit;
    body text;
    said uuid;
BEGIN
    SELECT * INTO STRICT e FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = p_edit;
    IF e.op NOT IN ('retract', 'amend', 'revert') OR e.importance IS NOT NULL OR e.op = 'amend' AND e.content_id IS NULL THEN
        RAISE EXCEPTION 'a value can be forgotten (retract), replaced (amend with a text) and allowed again (revert)'
            USING ERRCODE = 'SU400', CONSTRAINT = 'not_an_edit_of_values';
    END IF;
    IF words_of_value(p_tenant, e.target_id) IS NULL AND NOT (e.op = 'revert' AND EXISTS (
        SELECT FROM memory_guard g WHERE g.tenant_id = p_tenant AND g.id = e.target_id)) THEN
        RAISE EXCEPTION 'the value was erased: you can only allow it again'
            USING ERRCODE = 'SU409', CONSTRAINT = 'value_was_erased';
    END IF;
    IF e.op <> 'amend' THEN RETURN; END IF;
    SELECT c.body INTO STRICT body FROM content_of(p_tenant, e.content_id) c;
    IF says_words(body, words_of_value(p_tenant, e.target_id)) THEN
        RAISE EXCEPTION 'the new words say the value' USING ERRCODE = 'SU400', CONSTRAINT = 'replacement_says_value';
    END IF;
    SELECT g.value_id INTO said FROM guarded_spans(p_tenant, body, NULL, true) g WHERE g.value_id <> e.target_id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'value % keeps the new words out', said USING ERRCODE = 'SU409', CONSTRAINT = 'replacement_is_guarded';
    END IF;
END $$;
