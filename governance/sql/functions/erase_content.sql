-- Delete the text of an approved erasure, once. Content is deleted nowhere else. Hashes stay. Returns the pending edits
-- that it expired, with the ids of their verdicts.
CREATE OR REPLACE FUNCTION erase_content(p_tenant uuid, p_erasure uuid) RETURNS TABLE (edit_id uuid, verdict_id uuid)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    e governance_erasure;
    records uuid[];
    targets uuid[];
    has_items boolean;
    kept text;
    step text;
BEGIN
    PERFORM require_tenant(p_tenant);
    -- 1. Require the approval of a second person, and execute only once.
    PERFORM 1 FROM governance_erasurestate s
    WHERE s.tenant_id = p_tenant AND s.erasure_id = p_erasure AND s.status = 'approved' FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'only an approved erasure can delete content' USING ERRCODE = 'SU409'; END IF;
    SELECT * INTO STRICT e FROM governance_erasure x WHERE x.tenant_id = p_tenant AND x.id = p_erasure;
    -- 2. Lock everything that an edit or a verdict would change, in their lock order: pending edits, then memories.
    SELECT coalesce(array_agg(r.record_id), '{}'), coalesce(array_agg(coalesce(r.target_id, r.record_id)), '{}')
    INTO records, targets
    FROM erasure_scope(p_tenant, e.named_by, e.target_id, e.subject_type, e.subject_id) r;
    PERFORM 1 FROM governance_editstate s
    WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND s.edit_id IN (
        SELECT unnest(records)
        UNION ALL
        SELECT x.id FROM unnest(records) r (id)
        JOIN governance_edit x ON x.tenant_id = p_tenant AND x.target_id = r.id)
    ORDER BY s.edit_id FOR UPDATE;
    PERFORM lock_together(p_tenant, targets);
    -- 3. Find the current scope, which the locks of step 2 keep unchanged.
    WITH scope AS MATERIALIZED (
        SELECT r.* FROM erasure_scope(p_tenant, e.named_by, e.target_id, e.subject_type, e.subject_id) r
    ), items AS (
        INSERT INTO governance_erasureitem (tenant_id, id, erasure_id, kind, record_id, content_id, sha256)
        SELECT p_tenant, new_id(), p_erasure, r.kind, r.record_id, r.content_id, r.sha256
        FROM scope r WHERE r.sha256 IS NOT NULL
        RETURNING 1
    )
    SELECT EXISTS (SELECT FROM items), (SELECT string_agg(n.name, ', ') FROM (
        SELECT DISTINCT format('%s %s', r.kind, r.record_id) AS name
        FROM scope r WHERE r.retention = 'committed' ORDER BY 1 LIMIT 10) n) INTO has_items, kept;
    IF NOT has_items THEN RAISE EXCEPTION 'there is nothing left to erase' USING ERRCODE = 'SU409'; END IF;
    IF kept IS NOT NULL THEN
        RAISE EXCEPTION 'records with the retention committed cannot be erased: %', kept
            USING ERRCODE = 'SU409', CONSTRAINT = 'erasure_of_committed';
    END IF;
    -- 4. Record what an erasure by value leaves of the texts, then delete salt and body, and keep the hashes.
    FOR step IN SELECT f FROM functions_beginning('spare_texts_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_erasure;
    END LOOP;
    INSERT INTO governance_erasedcontent (tenant_id, id, sha256, erasure_id, erased_at)
    SELECT DISTINCT p_tenant, i.content_id, i.sha256, p_erasure, statement_timestamp() FROM governance_erasureitem i
    WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure;
    DELETE FROM governance_content c
    WHERE c.tenant_id = p_tenant AND c.id IN (
        SELECT i.content_id FROM governance_erasureitem i WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure);
    UPDATE governance_erasurestate s SET status = 'executed' WHERE s.tenant_id = p_tenant AND s.erasure_id = p_erasure;
    -- 5. Delete data derived from them.
    FOR step IN SELECT f FROM functions_beginning('erase_copies_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_erasure;
    END LOOP;
    -- 6. An edit whose text is erased can no longer be decided: it expires.
    FOR edit_id IN
        SELECT s.edit_id FROM governance_editstate s JOIN governance_edit x
            ON x.tenant_id = p_tenant AND x.id = s.edit_id
        WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND EXISTS (
            SELECT 1 FROM governance_erasureitem i
            WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure
              AND (i.record_id = x.id OR i.record_id = x.target_id AND e.named_by <> 'value'))
        ORDER BY 1
    LOOP
        verdict_id := end_edit(p_tenant, edit_id, NULL, NULL,
            format('Its text was erased by erasure %s.', p_erasure));
        RETURN NEXT;
    END LOOP;
END $$;
