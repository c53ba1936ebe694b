-- executable by: suture_app
-- Texts to record, as JSON values, each with where it will stand: without the values that are forgotten, in the same
-- order. The caller has called lock_guards.
CREATE OR REPLACE FUNCTION cut_texts(p_tenant uuid, p_texts jsonb, p_places jsonb) RETURNS jsonb LANGUAGE plpgsql
STABLE SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(reworded_json(p_tenant, t.one, (
            statement_timestamp(), p.about ->> 'subject_type', p.about ->> 'subject_id', p.about ->> 'project_id',
            p.about ->> 'session_id', me.name, p.about ->> 'channel', (p.about ->> 'ts')::timestamptz)::value_place, true)
            ORDER BY t.n), '[]')
        FROM jsonb_array_elements(p_texts) WITH ORDINALITY t (one, n)
        JOIN jsonb_array_elements(p_places) WITH ORDINALITY p (about, n) USING (n));
END $$;
