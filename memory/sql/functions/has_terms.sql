-- Whether a row is the tenant's and its index terms match. PostgreSQL inlines it. No index supports the condition on
-- the tenant: with `=`, the planner would read every row of the tenant from another index and intersect them with the
-- few that the terms find.
CREATE OR REPLACE FUNCTION has_terms(x memory_effectivechunk, p_tenant uuid, p_terms tsquery) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT x.tenant_id IS NOT DISTINCT FROM p_tenant
       AND index_terms(x.tenant_id, x.id, x.ts, x.channel, x.scope, x.subject_type, x.subject_id, x.project_id,
           x.session_id, x.tsv) @@ p_terms
$$;
