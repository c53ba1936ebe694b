-- executable by: suture_app
-- Withdraw a pending edit, as its proposer. Returns the verdict.
CREATE OR REPLACE FUNCTION withdraw_edit(p_tenant uuid, p_edit uuid, p_reason text) RETURNS uuid LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN end_edit(p_tenant, p_edit, me.kind, me.id, p_reason);
END $$;
