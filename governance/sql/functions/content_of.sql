-- The words of one content row; no row where they were erased. PostgreSQL inlines it. Join words by it, with LATERAL: the
-- LIMIT has each looked up by its key. In an ordinary join, the planner guesses how much of the table is the tenant's,
-- and may read all of the tenant's words for a page of a list.
CREATE OR REPLACE FUNCTION content_of(p_tenant uuid, p_id uuid) RETURNS SETOF governance_content LANGUAGE sql STABLE AS $$
    SELECT c.* FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = p_id LIMIT 1
$$;
