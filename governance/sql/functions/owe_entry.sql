-- Require this transaction to append an entry of a type that mentions certain ids and names to the tenant's ledger.
-- append_entries() settles this; until then the transaction cannot commit (governance_refuse_owed_entry).
CREATE OR REPLACE FUNCTION owe_entry(p_tenant uuid, p_type text, VARIADIC p_mentions text[]) RETURNS void LANGUAGE sql
SECURITY DEFINER AS $$
    INSERT INTO governance_owedentry (tenant_id, id, type, mentions) VALUES (p_tenant, new_id(), p_type, p_mentions)
$$;
