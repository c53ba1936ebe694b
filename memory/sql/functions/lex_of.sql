-- The vector of the words of a chunk (lex_vector): p_own, its effective words, with who said it, when, and what its
-- neighbours lend. p_blocked are the channels in which it is blocked.
CREATE OR REPLACE FUNCTION lex_of(k memory_chunk, p_own tsvector, p_blocked text[]) RETURNS sparsevec LANGUAGE plpgsql STABLE
AS $$
DECLARE
    spoken regconfig := search_language(k.tenant_id);
    who text := (SELECT e.actor_id FROM event_of(k.tenant_id, k.event_id) e);
    before tsvector[];
    after tsvector[];
BEGIN
    SELECT ARRAY[(array_agg(n.tsv) FILTER (WHERE n.place = -1))[1], (array_agg(n.tsv) FILTER (WHERE n.place = -2))[1]],
        ARRAY[(array_agg(n.tsv) FILTER (WHERE n.place = 1))[1], (array_agg(n.tsv) FILTER (WHERE n.place = 2))[1]]
    INTO before, after FROM neighbours_of(k, p_blocked) n WHERE n.lends;
    RETURN lex_vector(p_own, to_tsvector(spoken, coalesce(who, '')), date_vector(spoken, k.ts), before, after);
END $$;

ALTER FUNCTION lex_of OWNER TO suture_gate;
