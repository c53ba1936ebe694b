-- What a query asks for. Plain words rank: any of them makes a match; of an identifier (INV-20872, 4.2.1, os.path.join,
-- getUserName) the whole or all parts together, or every invoice would be a match. Conditions are what prose cannot be, and
-- every match fulfils them (search_query says what one is): words in quotes; words joined by OR or AND, unless all is in
-- capitals; a word of three small letters or more with a vowel, or a quote, with a minus sign before it (`-xzf` and
-- `--force` are options of a command); a word with a star behind it. A text that has the excluded word right after the word
-- before it, as the query has, is not excluded: `find -name` is such an option too. Conditions rank too, unless they are excluded or end in a star. A query is an open
-- question if it has no such condition but exclusions, and three words or more that rank; otherwise it looks something up,
-- and what the neighbours of a chunk say (lex_of_chunks) does not count.
CREATE OR REPLACE FUNCTION parse_question(p_language regconfig, p_query text) RETURNS search_question LANGUAGE plpgsql
IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    -- a quote opens after a space and closes before a space or a mark: 5" is an inch
    part_of constant text := '(?<![^[:space:](])-?"[^"]*[[:alnum:]][^"]*"(?![[:alnum:]"])|[^[:space:]"]+';
    excluded constant text := '^-("|(?=[[:lower:]]*[^bcdfghj-np-tv-xz])[[:lower:]]{3,}[*]?$)';
    starred constant text := '^[[:alnum:]_]{3,32}[*]$';
    q search_question;
    plain text := word_text(p_query);
    part text;
    before text;            -- the part before this one
    operator text;          -- between the chain and the next part
    chain text;             -- parts joined by operators
    is_condition boolean;   -- of the chain
    is_operand boolean;
    chain_follows text;     -- the part before the chain
    chains text[] := '{}';  -- those that are conditions
    follows text[] := '{}'; -- what is before each
    words text := '';       -- what ranks
    apart text := '';       -- those of them of which each makes a match
    wholes tsquery := '';   -- identifiers
    condition tsquery;
    as_written tsquery;     -- an excluded word after the word before it
    plain_count int := 0;   -- how many words have no sign
BEGIN
    FOR part IN SELECT m[1] FROM regexp_matches(plain, '(' || part_of || ')', 'g') m LOOP
        IF part IN ('OR', 'AND') AND before ~ '[[:lower:]"*]' THEN
            operator := CASE part WHEN 'OR' THEN ' OR ' ELSE ' ' END;
        ELSIF part ~ '[[:alnum:]]' THEN
            is_operand := part ~ excluded OR part ~ '^"' OR part ~ starred;
            IF NOT is_operand THEN part := ltrim(part, '-*'); END IF;
            IF part !~ excluded AND part !~ starred THEN
                words := words || ' ' || translate(part, '"*', '  ');
                IF part !~ '^"' AND is_whole(part) THEN
                    wholes := wholes || whole_query(p_language, part);
                ELSE
                    apart := apart || ' ' || translate(part, '"*', '  ');
                END IF;
            END IF;
            IF operator IS NOT NULL AND chain IS NOT NULL THEN
                chain := chain || operator || part;
                is_condition := true;
            ELSE
                plain_count := plain_count + (NOT is_operand)::int;
                IF is_condition THEN
                    chains := chains || chain;
                    follows := follows || coalesce(chain_follows, '');
                END IF;
                chain := part;
                chain_follows := before;
                is_condition := is_operand;
            END IF;
            operator := NULL;
        END IF;
        before := part;
    END LOOP;
    IF is_condition THEN
        chains := chains || chain;
        follows := follows || coalesce(chain_follows, '');
    END IF;

    q.language := p_language;
    q.terms := question_terms(p_language, words);
    q.required := '';
    FOR i IN 1 .. cardinality(chains) LOOP
        condition := search_query(p_language, chains[i]);
        IF chains[i] ~ '^-[[:lower:]]+$' THEN
            as_written := phraseto_tsquery(p_language, follows[i] || translate(chains[i], '-', ' '));
            IF numnode(as_written) >= 3 THEN condition := condition || as_written; END IF;
        END IF;
        q.required := q.required && condition;
    END LOOP;
    q.is_narrowed := coalesce(querytree(q.required) NOT IN ('T', ''), false);
    q.matching := CASE WHEN q.is_narrowed OR q.terms = '{}' THEN q.required
        ELSE (coalesce(any_term(question_terms(p_language, apart)), '') || wholes) && q.required END;
    q.marked := CASE WHEN q.terms = '{}' THEN q.required
        WHEN q.is_narrowed THEN q.required || any_term(q.terms) ELSE any_term(q.terms) END;
    q.is_open := NOT q.is_narrowed AND cardinality(q.terms) >= 3 AND (plain_count >= 3 OR spaced_text(words) <> words);
    RETURN q;
END $$;
