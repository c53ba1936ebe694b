-- The text of one content row; no row if it was erased. PostgreSQL inlines it. Join text by it, with LATERAL: the LIMIT
-- makes each a lookup by key. In an ordinary join, the planner guesses the tenant's share of the table, and may read
-- all of the tenant's text for one page of a list.
CREATE OR REPLACE FUNCTION content_of(p_tenant uuid, p_id uuid) RETURNS SETOF governance_content LANGUAGE sql STABLE AS $$
    SELECT c.* FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = p_id LIMIT 1
$$;
