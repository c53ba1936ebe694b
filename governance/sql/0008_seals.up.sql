-- Seals: rows become leaves of their tenant's Merkle tree (RFC 6962), in the order in which they are found.
-- A kind of row has a function leaves_of_<kind>(tenant, ids), which its own app makes: a JSON array of the row's columns
-- with the hashes of its words, in a form that is fixed for ever by its first element. What holds words also has
-- contents_of_<kind>(tenant, ids): the content rows that hold them.

SELECT governance_guard_always();

GRANT SELECT ON governance_leaf, governance_merkletree, governance_treenode, governance_accessrecord,
    governance_erasedcontent TO suture_app, suture_gate;
GRANT INSERT ON governance_leaf, governance_merkletree, governance_treenode, governance_erasedcontent,
    governance_accessrecord TO suture_gate;
GRANT UPDATE ON governance_merkletree TO suture_gate;
GRANT INSERT ON governance_accessrecord TO suture_app;

-- Hold the tenant's tree to the end of the transaction; no row where another sealer holds it.
CREATE FUNCTION lock_tree(p_tenant uuid) RETURNS TABLE (
    size bigint, root bytea, sealed_at timestamptz, caught_up_at timestamptz, swept_at timestamptz
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    INSERT INTO governance_merkletree (tenant_id, id, size) VALUES (p_tenant, new_id(), 0) ON CONFLICT DO NOTHING;
    RETURN QUERY SELECT t.size, t.root, t.sealed_at, t.caught_up_at, t.swept_at FROM governance_merkletree t
        WHERE t.tenant_id = p_tenant FOR UPDATE SKIP LOCKED;
END $$;

-- Make leaves of up to p_limit rows of a kind that are none yet, with ids beyond p_after (NULL: whatever their id), in
-- order of their ids. The tree must be locked. Only append-only tables can be sealed: a leaf is for ever.
CREATE FUNCTION append_leaves(p_tenant uuid, p_kind text, p_table text, p_after uuid, p_limit int)
RETURNS TABLE (leaf_position bigint, leaf_row uuid, leaf_hash bytea) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
    wanted uuid[] := '{}';
    page uuid[];
    base bigint;
    added bigint;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF NOT EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = to_regclass(quote_ident(p_table))
                   AND g.tgfoid = 'governance_deny_change'::regproc) THEN
        RAISE EXCEPTION 'only append-only tables are sealed, not %', p_table USING ERRCODE = 'SU400';
    END IF;
    SELECT t.size INTO STRICT base FROM governance_merkletree t WHERE t.tenant_id = p_tenant FOR UPDATE;
    -- Page by page, the sealed ones of a page in one look: joined row by row, with no statistics of new leaves yet, every
    -- row walked all of the tenant's leaves.
    LOOP
        EXECUTE format(
            'SELECT array_agg(n.id ORDER BY n.id) FROM (SELECT x.id FROM %I x WHERE x.tenant_id = $1'
            ' AND ($2 IS NULL OR x.id > $2) ORDER BY x.id LIMIT $3) n', p_table)
            INTO page USING p_tenant, p_after, p_limit;
        EXIT WHEN page IS NULL;
        wanted := wanted || ARRAY(
            SELECT unnest(page) EXCEPT
            SELECT l.row_id FROM governance_leaf l
            WHERE l.tenant_id = p_tenant AND l.kind = p_kind AND l.row_id = ANY (page)
            ORDER BY 1);
        EXIT WHEN cardinality(wanted) >= p_limit OR cardinality(page) < p_limit;
        p_after := page[cardinality(page)];
    END LOOP;
    wanted := wanted[1:p_limit];
    IF cardinality(wanted) = 0 THEN RETURN; END IF;
    RETURN QUERY EXECUTE format(
        'INSERT INTO governance_leaf (tenant_id, position, kind, row_id, hash)'
        ' SELECT $1, $2 + row_number() OVER (ORDER BY x.id) - 1, $3, x.id, leaf_hash(x.leaf) FROM %I($1, $4) x'
        ' RETURNING position, row_id, hash', 'leaves_of_' || p_kind)
        USING p_tenant, base, p_kind, wanted;
    GET DIAGNOSTICS added = ROW_COUNT;
    UPDATE governance_merkletree t SET size = base + added WHERE t.tenant_id = p_tenant;
END $$;

-- Close a seal: the root over all leaves, and the complete subtrees that the new leaves finished.
CREATE FUNCTION seal_tree(
    p_tenant uuid, p_size bigint, p_root bytea, p_levels smallint[], p_indexes bigint[], p_hashes bytea[],
    p_caught_up timestamptz, p_swept timestamptz
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    INSERT INTO governance_treenode (tenant_id, id, level, index, hash)
    SELECT p_tenant, new_id(), x.level, x.index, x.hash FROM unnest(p_levels, p_indexes, p_hashes) AS x (level, index, hash);
    UPDATE governance_merkletree t SET root = p_root, sealed_at = statement_timestamp(),
        caught_up_at = coalesce(p_caught_up, t.caught_up_at), swept_at = coalesce(p_swept, t.swept_at)
    WHERE t.tenant_id = p_tenant AND t.size = p_size;
    IF NOT FOUND THEN RAISE EXCEPTION 'the tree has grown since it was read' USING ERRCODE = 'SU409'; END IF;
END $$;

-- Keep when the tenant's ledger was verified last, and how much was found.
CREATE FUNCTION note_verification(p_tenant uuid, p_findings bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    UPDATE governance_merkletree t SET verified_at = statement_timestamp(), findings = p_findings
    WHERE t.tenant_id = p_tenant;
END $$;

-- A leaf's hash: SHA-256 over 0x00 and the row as JSON (RFC 6962, 2.1).
CREATE FUNCTION leaf_hash(p_row jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$ SELECT sha256('\x00'::bytea || convert_to(p_row::text, 'UTF8')) $$;

-- Moments go into a leaf as microseconds since 1970, whatever the session's time zone.
CREATE FUNCTION microseconds(p_moment timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$ SELECT (extract(epoch FROM p_moment) * 1000000)::bigint $$;

CREATE FUNCTION contents_of_edit(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT e.id, e.content_id FROM governance_edit e
        WHERE e.tenant_id = p_tenant AND e.id = ANY (p_ids) AND e.content_id IS NOT NULL;
END $$;

CREATE FUNCTION leaves_of_edit(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb) LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT e.id, jsonb_build_array('edit/1', e.tenant_id, e.id, microseconds(e.created_at), e.target_type,
        e.target_id, e.op, e.reason, e.proposer_kind, e.proposed_by, e.proposer, encode(coalesce(c.sha256, x.sha256), 'hex'),
        e.importance, e.importance_delta, e.channel, e.reverts_id, encode(e.patch_sha256, 'hex'),
        e.approvals_required, e.policy, e.batch_id)
    FROM governance_edit e
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = e.content_id
    LEFT JOIN governance_erasedcontent x ON x.tenant_id = p_tenant AND x.id = e.content_id
    WHERE e.tenant_id = p_tenant AND e.id = ANY (p_ids);
END $$;

CREATE FUNCTION leaves_of_verdict(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT v.id, jsonb_build_array('verdict/1', v.tenant_id, v.id, v.edit_id, v.decision, v.decider_kind,
        v.decided_by, v.decider, microseconds(v.decided_at), v.reason, v.proposed_by, encode(v.patch_sha256, 'hex'))
    FROM governance_verdict v WHERE v.tenant_id = p_tenant AND v.id = ANY (p_ids);
END $$;

CREATE FUNCTION leaves_of_access(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT a.id, jsonb_build_array('access/1', a.tenant_id, a.id, microseconds(a.at), a.actor_kind, a.actor_id,
        a.actor, a.action, a.target_type, a.target_id, a.outcome, a.details)
    FROM governance_accessrecord a WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids);
END $$;

-- Leaves from p_from on whose row, hashed again, gives another hash or is gone: what verification asks.
CREATE FUNCTION check_leaves(p_tenant uuid, p_kind text, p_from bigint, p_until bigint)
RETURNS TABLE (leaf_position bigint, row_id uuid, now_hash bytea) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE wanted uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(l.row_id) INTO wanted FROM governance_leaf l
    WHERE l.tenant_id = p_tenant AND l.position >= p_from AND l.position < p_until AND l.kind = p_kind;
    IF wanted IS NULL THEN RETURN; END IF;
    RETURN QUERY EXECUTE format(
        'SELECT l.position, l.row_id, leaf_hash(x.leaf) FROM governance_leaf l LEFT JOIN %I($1, $2) x ON x.id = l.row_id'
        ' WHERE l.tenant_id = $1 AND l.position >= $3 AND l.position < $4 AND l.kind = $5'
        ' AND leaf_hash(x.leaf) IS DISTINCT FROM l.hash', 'leaves_of_' || p_kind)
        USING p_tenant, wanted, p_from, p_until, p_kind;
END $$;

-- Entries of a chain from p_from to p_to whose columns say another thing than their signed bytes. Those whose bytes are
-- damaged, or no entry, are left to whoever checks the bytes.
CREATE FUNCTION check_entries(p_tenant uuid, p_chain uuid, p_from bigint, p_to bigint) RETURNS TABLE (differing bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e governance_entry;
    signed jsonb;
    differs boolean;
BEGIN
    PERFORM require_tenant(p_tenant);
    FOR e IN SELECT * FROM governance_entry x
        WHERE x.tenant_id = p_tenant AND x.chain_id = p_chain AND x.seq BETWEEN p_from AND p_to ORDER BY x.seq
    LOOP
        CONTINUE WHEN sha256(e.canonical) <> e.hash;
        BEGIN
            signed := convert_from(e.canonical, 'UTF8')::jsonb;
            differs := signed ->> 'seq' IS DISTINCT FROM e.seq::text
                OR (signed ->> 'ts')::timestamptz IS DISTINCT FROM e.ts
                OR signed ->> 'type' IS DISTINCT FROM e.type
                OR signed ->> 'retention' IS DISTINCT FROM e.retention
                OR signed ->> 'content_hash' IS DISTINCT FROM encode(e.content_hash, 'hex')
                OR signed ->> 'prev_hash' IS DISTINCT FROM encode(e.prev_hash, 'hex')
                OR signed -> 'metadata' IS DISTINCT FROM e.metadata;
        EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
            CONTINUE;
        END;
        IF differs THEN differing := e.seq; RETURN NEXT; END IF;
    END LOOP;
END $$;

-- The content rows of some rows of a kind that are neither there nor accounted for by an erasure.
CREATE FUNCTION lost_contents(p_tenant uuid, p_kind text, p_ids uuid[]) RETURNS TABLE (row_id uuid, lost_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    IF to_regprocedure(format('%I(uuid,uuid[])', 'contents_of_' || p_kind)) IS NULL THEN RETURN; END IF;
    RETURN QUERY EXECUTE format(
        'SELECT x.id, x.content_id FROM %I($1, $2) x'
        ' WHERE NOT EXISTS (SELECT FROM governance_content c WHERE c.tenant_id = $1 AND c.id = x.content_id)'
        ' AND NOT EXISTS (SELECT FROM governance_erasedcontent c WHERE c.tenant_id = $1 AND c.id = x.content_id)',
        'contents_of_' || p_kind) USING p_tenant, p_ids;
END $$;

-- What a leaf is the hash of: the row as JSON, as it is now.
CREATE FUNCTION get_leaf_row(p_tenant uuid, p_kind text, p_id uuid) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE found text;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF to_regprocedure(format('%I(uuid,uuid[])', 'leaves_of_' || p_kind)) IS NULL THEN RETURN NULL; END IF;
    EXECUTE format('SELECT x.leaf::text FROM %I($1, ARRAY[$2]) x', 'leaves_of_' || p_kind)
        INTO found USING p_tenant, p_id;
    RETURN found;
END $$;

-- Content rows beyond p_after, p_limit at a time, whose words do not give their hash. `last` tells where to go on.
CREATE FUNCTION check_contents(p_tenant uuid, p_after uuid, p_limit int, OUT checked bigint, OUT last uuid, OUT altered uuid[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT count(*), (array_agg(n.id ORDER BY n.id DESC))[1],
        array_agg(n.id ORDER BY n.id) FILTER (WHERE sha256(n.salt || convert_to(n.body, 'UTF8')) <> n.sha256)
    INTO checked, last, altered
    FROM (SELECT * FROM governance_content c WHERE c.tenant_id = p_tenant AND (p_after IS NULL OR c.id > p_after)
          ORDER BY c.id LIMIT p_limit) n;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'lock_tree(uuid)', 'append_leaves(uuid,text,text,uuid,int)',
    'seal_tree(uuid,bigint,bytea,smallint[],bigint[],bytea[],timestamptz,timestamptz)',
    'note_verification(uuid,bigint)', 'leaf_hash(jsonb)', 'microseconds(timestamptz)', 'leaves_of_edit(uuid,uuid[])',
    'leaves_of_verdict(uuid,uuid[])', 'leaves_of_access(uuid,uuid[])', 'check_leaves(uuid,text,bigint,bigint)',
    'check_contents(uuid,uuid,int)', 'contents_of_edit(uuid,uuid[])', 'lost_contents(uuid,text,uuid[])',
    'get_leaf_row(uuid,text,uuid)', 'check_entries(uuid,uuid,bigint,bigint)'
]::regprocedure[]);

SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION lock_tree(uuid), append_leaves(uuid,text,text,uuid,int),
    seal_tree(uuid,bigint,bytea,smallint[],bigint[],bytea[],timestamptz,timestamptz),
    note_verification(uuid,bigint) TO suture_app;
GRANT EXECUTE ON FUNCTION check_leaves(uuid,text,bigint,bigint), check_contents(uuid,uuid,int),
    lost_contents(uuid,text,uuid[]), get_leaf_row(uuid,text,uuid),
    check_entries(uuid,uuid,bigint,bigint) TO suture_app;
RESET ROLE;
