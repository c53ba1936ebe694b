-- Whose words a capsule has: see authorship_of_target. A capsule is made for others, so each is guarded and received.
CREATE OR REPLACE FUNCTION authorship_of_capsule(
    p_tenant uuid, p_capsule uuid, OUT recorder_kind text, OUT recorded_by uuid, OUT targets uuid[],
    OUT is_guarded boolean, OUT is_received boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    SELECT c.author_kind, c.authored_by, ARRAY[c.id], true, true
    INTO recorder_kind, recorded_by, targets, is_guarded, is_received
    FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = p_capsule;
END $$;
