-- The status of a chunk for any reader: '' if nothing hides it, else the first of these reasons.
CREATE OR REPLACE FUNCTION chunk_standing(x memory_effectivechunk, p_at timestamptz) RETURNS text LANGUAGE sql STABLE
PARALLEL SAFE AS $$
    SELECT CASE WHEN x.is_retracted AND EXISTS (SELECT FROM governance_erasedcontent e
                     WHERE e.tenant_id = x.tenant_id AND e.id = x.content_id) THEN 'erased'
                WHEN x.is_retracted THEN 'retracted'
                WHEN x.expires_at <= p_at THEN 'expired'
                WHEN x.is_superseded OR x.superseded_by IS NOT NULL THEN 'superseded'
                WHEN x.is_quarantined THEN 'quarantined'
                WHEN x.blocked_channels <> '{}' THEN 'blocked'
                ELSE '' END
$$;
