-- Capsules as targets of edits. A forwarded capsule is one memory with those that it was forwarded from: what is
-- retracted, quarantined, blocked or amended of one of them holds for it too, as among the records of one event.

-- The state of one capsule, were the edits of p_also cancelled besides. An amended text takes the place of the note; the
-- risks may repeat what was corrected, and are withheld.
CREATE FUNCTION fold_capsule(
    p_tenant uuid, p_capsule uuid, p_also uuid[],
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT note_id uuid,
    OUT risks_id uuid, OUT importance numeric, OUT edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    c capsules_capsule;
    f record;
BEGIN
    SELECT * INTO STRICT c FROM capsules_capsule x WHERE x.tenant_id = p_tenant AND x.id = p_capsule;
    SELECT * INTO f FROM fold_edits(p_tenant, c.id, ARRAY(SELECT capsule_origins(p_tenant, c.id)), 0.5, NULL, p_also);
    is_retracted := f.is_retracted; is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels;
    importance := f.importance; edits_applied := f.edits_applied;
    note_id := coalesce(f.content_id, c.note_id);
    risks_id := CASE WHEN f.content_id IS NULL THEN c.risks_id END;
END $$;

CREATE FUNCTION refold_one_capsule(p_tenant uuid, p_capsule uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE capsules_effectivecapsule x SET is_retracted = f.is_retracted, is_quarantined = f.is_quarantined,
        blocked_channels = f.blocked_channels, note_id = f.note_id, risks_id = f.risks_id, importance = f.importance,
        edits_applied = f.edits_applied
    FROM fold_capsule(p_tenant, p_capsule, '{}') f WHERE x.tenant_id = p_tenant AND x.id = p_capsule;
END $$;

-- What apply_edit calls for a target of type capsule.
CREATE FUNCTION refold_capsule(p_tenant uuid, p_capsule uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE one uuid;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = p_capsule) THEN
        RAISE EXCEPTION 'there is no such capsule' USING ERRCODE = 'SU404';
    END IF;
    FOREACH one IN ARRAY lock_capsules(p_tenant, p_capsule) LOOP
        PERFORM refold_one_capsule(p_tenant, one);
    END LOOP;
END $$;

-- What a reviewer saw of a capsule, in one hash: every column that an edit changes. p_lock holds it, and what was
-- forwarded of it, to the end of the transaction.
CREATE FUNCTION state_of_capsule(p_tenant uuid, p_capsule uuid, p_lock boolean) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE x capsules_effectivecapsule;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_lock THEN PERFORM lock_capsules(p_tenant, p_capsule); END IF;
    SELECT * INTO x FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = p_capsule;
    RETURN encode(sha256(convert_to(concat_ws('|', x.id, coalesce(x.note_id::text, '-'), coalesce(x.risks_id::text, '-'),
        x.importance, x.is_retracted, x.is_quarantined, x.blocked_channels, x.edits_applied), 'UTF8')), 'hex');
END $$;

-- A capsule as it is and as it would be, were p_edit reverted now; with its note, also of a retracted one: whether the
-- caller may read it is for the service to ask.
CREATE FUNCTION preview_capsule_revert(p_tenant uuid, p_capsule uuid, p_edit uuid) RETURNS TABLE (
    is_reverted boolean, sensitivity text, text text, importance numeric, is_retracted boolean, is_quarantined boolean,
    blocked_channels text[], is_superseded boolean, edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT side.reverted, k.sensitivity::text, coalesce(c.body, ''), f.importance::numeric(5,4), f.is_retracted,
        f.is_quarantined, f.blocked_channels, false, f.edits_applied
    FROM capsules_capsule k
    CROSS JOIN (VALUES (false, '{}'::uuid[]), (true, ARRAY[p_edit])) side (reverted, also)
    CROSS JOIN LATERAL fold_capsule(p_tenant, k.id, side.also) f
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = f.note_id
    WHERE k.tenant_id = p_tenant AND k.id = p_capsule
    ORDER BY side.reverted;
END $$;

-- A capsule's words are never committed: an erasure may have them.
CREATE FUNCTION retention_of_capsule(p_tenant uuid, p_capsule uuid) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN (SELECT 'relationship' FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = p_capsule);
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'fold_capsule(uuid,uuid,uuid[])', 'refold_one_capsule(uuid,uuid)', 'refold_capsule(uuid,uuid)',
    'state_of_capsule(uuid,uuid,boolean)', 'preview_capsule_revert(uuid,uuid,uuid)', 'retention_of_capsule(uuid,uuid)'
]::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION state_of_capsule(uuid,uuid,boolean), preview_capsule_revert(uuid,uuid,uuid)
    TO suture_app, suture_review;
RESET ROLE;
