-- What a query asks for. Plain words rank: any of them makes a match; of an identifier with digits and signs (INV-20872,
-- 4.2.1) all parts together, or every invoice would be a match. Words in quotes, joined by OR or AND (in capitals),
-- with a minus sign before them or a star behind them are conditions that every match fulfils (search_query says what
-- such a condition is); they rank too, unless they are excluded or end in a star. A query is an open question if it has
-- no such condition but exclusions, and three words or more that rank; otherwise it looks something up, and what the
-- neighbours of a chunk say (lex_of_chunks) does not count.
CREATE OR REPLACE FUNCTION parse_question(p_language regconfig, p_query text) RETURNS search_question LANGUAGE plpgsql
IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    conditional constant text := '^-|"|^[[:alnum:]_]{3,32}[*]$';
    q search_question;
    part text;
    operator text;          -- between the chain and the next part
    chain text;             -- parts joined by operators
    is_condition boolean;   -- of the chain
    chains text[] := '{}';  -- those that are conditions
    words text := '';       -- what ranks
    apart text := '';       -- those of them of which each makes a match
    wholes tsquery := '';   -- identifiers
    plain int := 0;         -- how many words have no sign
BEGIN
    FOR part IN SELECT m[1] FROM regexp_matches(p_query, '(-*"[^"]*"?|[^[:space:]"]+)', 'g') m LOOP
        IF part IN ('OR', 'AND') THEN
            operator := CASE part WHEN 'OR' THEN ' OR ' ELSE ' ' END;
        ELSIF part ~ '[^[:space:]"-]' THEN
            part := regexp_replace(part, '^-+', '-');
            IF part !~ '^-|^[[:alnum:]_]{3,32}[*]$' THEN
                words := words || ' ' || translate(part, '"*', '  ');
                IF part ~ '[[:digit:]]' AND part ~ '^[[:alnum:]]+([-./:_#][[:alnum:]]+)+$' THEN
                    wholes := wholes || phraseto_tsquery(p_language, part);
                ELSE
                    apart := apart || ' ' || translate(part, '"*', '  ');
                END IF;
            END IF;
            IF operator IS NOT NULL AND chain IS NOT NULL THEN
                chain := chain || operator || part;
                is_condition := true;
            ELSE
                plain := plain + (part !~ conditional)::int;
                IF is_condition THEN chains := chains || chain; END IF;
                chain := part;
                is_condition := part ~ conditional;
            END IF;
            operator := NULL;
        END IF;
    END LOOP;
    IF is_condition THEN chains := chains || chain; END IF;

    q.language := p_language;
    q.terms := tsvector_to_array(text_vector(p_language, words));
    q.required := '';
    FOREACH chain IN ARRAY chains LOOP
        q.required := q.required && search_query(p_language, chain);
    END LOOP;
    q.is_narrowed := coalesce(querytree(q.required) NOT IN ('T', ''), false);
    q.matching := CASE WHEN q.is_narrowed OR q.terms = '{}' THEN q.required
        ELSE (coalesce(any_term(tsvector_to_array(text_vector(p_language, apart))), '') || wholes) && q.required END;
    q.marked := CASE WHEN q.terms = '{}' THEN q.required
        WHEN q.is_narrowed THEN q.required || any_term(q.terms) ELSE any_term(q.terms) END;
    q.is_open := NOT q.is_narrowed AND cardinality(q.terms) >= 3 AND (plain >= 3 OR spaced_text(words) <> words);
    RETURN q;
END $$;
