-- executable by: suture_app, suture_review
-- Whether a reader hears each of a record's audiences, given by their numbers; NULL is the default, which everyone hears.
-- PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION hears(p_reader reader, p_audience int[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN p_audience IS NULL OR (p_reader).hears_all THEN true
                WHEN cardinality(p_audience) <> 1 THEN hears_each((p_reader).audiences, p_audience)
                WHEN p_audience[1] < length((p_reader).audiences) THEN get_bit((p_reader).audiences, p_audience[1]) = 1
                ELSE false END
$$;
