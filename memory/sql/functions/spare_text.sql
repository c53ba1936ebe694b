-- Before an erasure by value deletes a content row, record what it leaves of it for a record: the text, or a span of it,
-- without the values that are forgotten (reworded). p_is_json: JSON of further fields. Where the row is itself what an
-- earlier erasure left of another one (p_of), this takes its place.
CREATE OR REPLACE FUNCTION spare_text(
    p_tenant uuid, p_content uuid, p_record uuid, p_is_json boolean, p_start int DEFAULT NULL, p_end int DEFAULT NULL,
    p_of uuid DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE said record;
BEGIN
    SELECT * INTO said FROM reworded_fields(
        p_tenant, p_content, place_of_record(p_tenant, p_record), p_is_json, p_start, p_end);
    PERFORM record_rewording(p_tenant, coalesce(p_of, p_content), p_start, p_end, p_record,
        coalesce(said.after, said.before), '{}');  -- no values: readers get the same text as before
END $$;
