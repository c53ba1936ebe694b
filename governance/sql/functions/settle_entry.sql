-- Settle, with an entry that was appended, the changes that owe such an entry: those that it mentions wholly.
CREATE OR REPLACE FUNCTION settle_entry(p_tenant uuid, p_type text, p_metadata jsonb) RETURNS void LANGUAGE sql
SECURITY DEFINER AS $$
    DELETE FROM governance_owedentry o
    WHERE o.tenant_id = p_tenant AND o.type = p_type AND o.mentions <@ entry_mentions(p_metadata)
$$;
