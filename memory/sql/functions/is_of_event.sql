-- Whether a chunk is of an event of this actor and kind; NULL for any. It is a function of its own, because PostgreSQL
-- does not inline one with a subquery (is_found).
CREATE OR REPLACE FUNCTION is_of_event(p_tenant uuid, p_event uuid, p_actor text, p_kind text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM memory_event e WHERE e.tenant_id = p_tenant AND e.id = p_event
          AND (p_actor IS NULL OR e.actor_id = p_actor) AND (p_kind IS NULL OR e.kind = p_kind));
END $$;
