-- Whether the words p_first to p_last of a text mean in the text what they mean alone. A value of reach 'sentence' must
-- be one. One of reach 'phrase' may stand within a sentence, unless what is beside it changes its meaning: a sign
-- ("500 %", "-500", "C++", "x = 5 + 3"), a further part of its number ("500 million"), a possessive ("Ann's sister"), or
-- a negation in the same clause ("never buy milk"). p_marks says what ended before each word: '.' a sentence, ',' a
-- clause.
CREATE OR REPLACE FUNCTION is_said_in(p_words text[], p_marks text[], p_first int, p_last int, p_reach text)
RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    signs constant text := '[!"#$%&''()*+,./:;<=>?@\[\\^_|~-]|\]|[\u2032\u2033\u00A2-\u00A9\u00AC\u00B0\u00B1\u00D7\u00F7]'
        '|[\u2030-\u2034\u20A0-\u20CF\u2190-\u22FF]';
    multiples constant text[] := '{hundred,thousand,million,billion,trillion,dozen,percent,k,m,mio,bn,mrd}';
    negations constant text[] :=
        '{not,no,never,none,nobody,nothing,neither,nor,without,cannot,t,false,untrue,wrong,nicht,kein,keine,nie}';
    before text := CASE WHEN p_first > 1 AND p_marks[p_first] = '' THEN p_words[p_first - 1] END;
    after text := CASE WHEN p_last < cardinality(p_words) AND p_marks[p_last + 1] = '' THEN p_words[p_last + 1] END;
    place int;
BEGIN
    IF p_reach = 'sentence' THEN
        RETURN (p_first = 1 OR p_marks[p_first] = '.')
            AND (p_last = cardinality(p_words) OR p_marks[p_last + 1] = '.');
    END IF;
    IF before ~ signs OR after ~ signs OR after = 's'
        OR (p_words[p_last] ~ '[0-9]$' AND (after ~ '^[0-9]' OR after = ANY (multiples)))
        OR (p_words[p_first] ~ '^[0-9]' AND before ~ '[0-9]$')
    THEN RETURN false; END IF;
    place := p_first;
    WHILE place > 1 AND p_marks[place] = '' LOOP
        place := place - 1;
        IF p_words[place] = ANY (negations) THEN RETURN false; END IF;
    END LOOP;
    place := p_last;
    WHILE place < cardinality(p_words) AND p_marks[place + 1] = '' LOOP
        place := place + 1;
        IF p_words[place] = ANY (negations) THEN RETURN false; END IF;
    END LOOP;
    RETURN true;
END $$;
