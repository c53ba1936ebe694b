-- A text that PostgreSQL's parser reads in time proportional to its length. Its own time is quadratic in a stretch
-- without spaces that it may take for a path, a host or an address ("a_a_a_", "/./.", "a@a@"), and in unclosed tags:
-- 80 kB of them took minutes (measured). In stretches of more than 200 characters such signs part words, and so do "<"
-- and "@" in a text with very many. Addresses and tags of usual length are not touched.
CREATE OR REPLACE FUNCTION parsable_text(p_text text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    t text := p_text;
    sign text;
BEGIN
    IF length(t) <= 200 THEN RETURN t; END IF;
    IF t ~ '[^[:space:]]{201}' THEN
        t := (SELECT string_agg(
                  CASE WHEN length(s.stretch) > 200 THEN translate(s.stretch, '_/.@', '    ') ELSE s.stretch END,
                  ' ' ORDER BY s.place)
              FROM regexp_split_to_table(t, '[[:space:]]+') WITH ORDINALITY s (stretch, place));
    END IF;
    FOREACH sign IN ARRAY '{<,@}'::text[] LOOP
        IF (length(t) - length(replace(t, sign, '')))::bigint * length(t) > 1000000 THEN
            t := translate(t, sign, ' ');
        END IF;
    END LOOP;
    RETURN t;
END $$;
