-- What this transaction has recorded in the tenant since it was last asked: the kinds with the number of their rows, the
-- ids of all rows, kind after kind, and their leaf hashes, one after the other; and with which key and when a receipt of
-- them is signed. No row if it has recorded nothing.
CREATE OR REPLACE FUNCTION recorded_rows(p_tenant uuid, p_kinds text[], p_tables text[]) RETURNS TABLE (
    kinds text[], counts int[], row_ids uuid[], hashes bytea, public_key bytea, moment timestamptz
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
    noted text[];
    own text[];
    ids uuid[];
    found_ids uuid[];
    found_hashes bytea;
BEGIN
    PERFORM require_tenant(p_tenant);
    noted := string_to_array(rtrim(current_setting('suture.recorded', true), ';'), ';');
    IF noted IS NULL OR cardinality(noted) = 0 THEN RETURN; END IF;
    own := ARRAY(SELECT n FROM unnest(noted) WITH ORDINALITY x (n, place) WHERE starts_with(n, p_tenant::text) ORDER BY place);
    IF cardinality(own) = 0 THEN RETURN; END IF;
    -- what belongs to another tenant waits for its own receipt
    PERFORM set_config('suture.recorded', coalesce((
        SELECT string_agg(n || ';', '' ORDER BY place) FROM unnest(noted) WITH ORDINALITY x (n, place)
        WHERE NOT starts_with(n, p_tenant::text)), ''), true);
    kinds := '{}'; counts := '{}'; row_ids := '{}'; hashes := '';
    FOR i IN 1 .. cardinality(p_kinds) LOOP
        ids := ARRAY(SELECT unnest(string_to_array(split_part(n, ' ', 3), ','))::uuid FROM unnest(own) n
            WHERE split_part(n, ' ', 2) = p_tables[i]);
        CONTINUE WHEN cardinality(ids) = 0;
        EXECUTE format('SELECT array_agg(x.id ORDER BY x.id), string_agg(leaf_hash(x.leaf), '''' ORDER BY x.id) FROM %I($1, $2) x',
            'leaves_of_' || p_kinds[i]) INTO found_ids, found_hashes USING p_tenant, ids;
        CONTINUE WHEN found_ids IS NULL;  -- deleted in the same transaction
        kinds := kinds || p_kinds[i];
        counts := counts || cardinality(found_ids);
        row_ids := row_ids || found_ids;
        hashes := hashes || found_hashes;
    END LOOP;
    IF cardinality(row_ids) = 0 THEN RETURN; END IF;
    SELECT c.public_key INTO public_key FROM governance_chain c WHERE c.tenant_id = p_tenant AND c.name = 'governance';
    moment := clock_timestamp();
    RETURN NEXT;
END $$;

ALTER FUNCTION recorded_rows OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION recorded_rows TO suture_app;
