-- executable by: suture_app
-- The rows that this transaction has recorded in the tenant since the last call: kinds with row counts, ids of all rows
-- in order of kind, and their concatenated leaf hashes; also the key and time for signing a receipt. No row if nothing
-- was recorded.
CREATE OR REPLACE FUNCTION recorded_rows(p_tenant uuid, p_kinds text[], p_tables text[]) RETURNS TABLE (
    kinds text[], counts int[], row_ids uuid[], hashes bytea, public_key bytea, moment timestamptz
) LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_generic_plan
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
    noted text := current_setting('suture.recorded', true);
    made record;
    found_ids uuid[];
    found_hashes bytea;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF noted IS NULL OR noted = '' THEN RETURN; END IF;
    kinds := '{}'; counts := '{}'; row_ids := '{}'; hashes := '';
    FOR made IN
        SELECT p_kinds[k.place] AS kind, string_to_array(string_agg(split_part(n.line, ' ', 3), ','), ',')::uuid[] AS ids
        FROM string_to_table(rtrim(noted, ';'), ';') n (line)
        CROSS JOIN LATERAL (SELECT array_position(p_tables, split_part(n.line, ' ', 2)) AS place) k
        WHERE starts_with(n.line, p_tenant::text) AND k.place IS NOT NULL
        GROUP BY k.place ORDER BY k.place
    LOOP
        EXECUTE format('SELECT array_agg(x.id ORDER BY x.id), string_agg(leaf_hash(x.leaf), '''' ORDER BY x.id) FROM %I($1, $2) x',
            'leaves_of_' || made.kind) INTO found_ids, found_hashes USING p_tenant, made.ids;
        CONTINUE WHEN found_ids IS NULL;  -- deleted in the same transaction
        kinds := kinds || made.kind;
        counts := counts || cardinality(found_ids);
        row_ids := row_ids || found_ids;
        hashes := hashes || found_hashes;
    END LOOP;
    -- rows of another tenant wait for its own receipt
    PERFORM set_config('suture.recorded', coalesce((
        SELECT string_agg(n.line || ';', '' ORDER BY n.place)
        FROM string_to_table(rtrim(noted, ';'), ';') WITH ORDINALITY n (line, place)
        WHERE NOT starts_with(n.line, p_tenant::text)), ''), true);
    IF cardinality(row_ids) = 0 THEN RETURN; END IF;
    SELECT c.public_key INTO public_key FROM governance_chain c WHERE c.tenant_id = p_tenant AND c.name = 'governance';
    moment := clock_timestamp();
    RETURN NEXT;
END $$;
