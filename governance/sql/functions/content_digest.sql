-- The hexadecimal SHA-256 of a content as recorded, even if its text was erased; one row with NULL for no content.
-- PostgreSQL inlines it. Call it in a subquery of a column: joins take longer to plan.
CREATE OR REPLACE FUNCTION content_digest(p_tenant uuid, p_id uuid) RETURNS TABLE (hex text) LANGUAGE sql STABLE AS $$
    SELECT encode(coalesce(
        (SELECT kept.sha256 FROM governance_content kept WHERE kept.tenant_id = p_tenant AND kept.id = p_id),
        (SELECT gone.sha256 FROM governance_erasedcontent gone WHERE gone.tenant_id = p_tenant AND gone.id = p_id)), 'hex')
$$;
