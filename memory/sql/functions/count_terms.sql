-- executable by: suture_app
-- Count in how many chunks of each channel each word of the tenant's memory occurs, for the weights of questions (term_weights_of), if
-- there is no count yet, memory has grown by a tenth since, or a day has passed. Above 50,000 chunks, it counts one
-- chunk in 8. A word in fewer than one chunk in 20,000 is omitted: a search counts it when needed (probed_df). Takes no
-- locks, so nobody waits for it. Returns the number of counted words; 0 if it was not due.
CREATE OR REPLACE FUNCTION count_terms(p_tenant uuid) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    v_tenant uuid := p_tenant;
    last memory_termcount;
    grown bigint;
    newest uuid;
    total bigint;
    of_channels int[];
    one_in int;
    counted int;
BEGIN
    PERFORM require_job(p_tenant);
    IF NOT pg_try_advisory_xact_lock(hashtextextended('count_terms ' || v_tenant, 0)) THEN RETURN 0; END IF;
    SELECT * INTO last FROM memory_termcount c WHERE c.tenant_id = v_tenant;
    grown := (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND (last.newest IS NULL OR x.id > last.newest)
        ORDER BY x.id LIMIT 1 + coalesce(last.chunks, 0) / 10) n);
    IF grown * 10 <= coalesce(last.chunks, 0)
        AND coalesce(last.counted_at > statement_timestamp() - interval '1 day', true)
    THEN RETURN 0; END IF;

    SELECT count(*), ARRAY[count(*) FILTER (WHERE x.channel = 'private'), count(*) FILTER (WHERE x.channel = 'public'),
            count(*) FILTER (WHERE x.channel = 'team'), count(*) FILTER (WHERE x.channel = 'agent')]
    INTO total, of_channels FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND is_counted(x, NULL);
    SELECT x.id INTO newest FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant ORDER BY x.id DESC LIMIT 1;
    one_in := CASE WHEN total > 50000 THEN 8 ELSE 1 END;
    WITH found AS MATERIALIZED (
        SELECT w.term, ARRAY[
            count(*) FILTER (WHERE x.channel = 'private'), count(*) FILTER (WHERE x.channel = 'public'),
            count(*) FILTER (WHERE x.channel = 'team'), count(*) FILTER (WHERE x.channel = 'agent')]::int[] AS dfs
        FROM memory_effectivechunk x CROSS JOIN LATERAL unnest(tsvector_to_array(x.tsv)) w (term)
        WHERE x.tenant_id = v_tenant AND is_counted(x, NULL) AND get_byte(uuid_send(x.id), 15) % one_in = 0
        GROUP BY w.term HAVING count(*) * one_in > total / 20000
    ), gone AS (
        DELETE FROM memory_term t
        WHERE t.tenant_id = v_tenant AND NOT EXISTS (SELECT FROM found c WHERE c.term = t.term)
    ), written AS (
        INSERT INTO memory_term (tenant_id, id, term, dfs)
        SELECT v_tenant, gen_random_uuid(), c.term, ARRAY(SELECT d * one_in FROM unnest(c.dfs) WITH ORDINALITY u (d, place) ORDER BY place)
        FROM found c ORDER BY c.term
        ON CONFLICT (tenant_id, term) DO UPDATE SET dfs = excluded.dfs WHERE memory_term.dfs <> excluded.dfs
    )
    SELECT count(*) INTO counted FROM found;
    INSERT INTO memory_termcount (tenant_id, id, chunks, chunks_of_channels, newest, counted_at, erasures)
    VALUES (v_tenant, gen_random_uuid(), total, of_channels, newest, statement_timestamp(), 0)
    ON CONFLICT (tenant_id) DO UPDATE
    SET chunks = excluded.chunks, chunks_of_channels = excluded.chunks_of_channels, newest = excluded.newest, counted_at = excluded.counted_at
    WHERE memory_termcount.erasures = coalesce(last.erasures, 0);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'words were erased while they were counted' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN counted;
END $$;
