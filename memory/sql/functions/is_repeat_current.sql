-- Whether readers of a chunk that repeats another one, its source, may get what it repeats: no edit hides the source from
-- some of its readers, it still says this, and it is neither more sensitive nor in a more private channel.
CREATE OR REPLACE FUNCTION is_repeat_current(p_tenant uuid, p_repeat uuid, p_source uuid) RETURNS boolean LANGUAGE plpgsql
STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM memory_effectivechunk x
        CROSS JOIN LATERAL content_of(p_tenant, x.content_id) said
        CROSS JOIN LATERAL chunk_of(p_tenant, p_repeat) k
        CROSS JOIN LATERAL content_of(p_tenant, k.content_id) again
        WHERE x.tenant_id = p_tenant AND x.id = p_source AND NOT is_edited_away(x)
          AND more_sensitive(x.sensitivity, k.sensitivity) = k.sensitivity
          AND array_position('{private,agent,team,public}'::text[], x.channel)
              >= array_position('{private,agent,team,public}'::text[], k.channel)
          AND says(normal_text(span_of(again.body, k.span_start, k.span_end)),
              normal_text(span_of(said.body, x.span_start, x.span_end))));
END $$;
