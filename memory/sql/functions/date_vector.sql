-- The search vector of a day, as texts and questions name it: month, year and day, in UTC. Months have names in some
-- languages; in another the year and the day remain.
CREATE OR REPLACE FUNCTION date_vector(p_language regconfig, p_ts timestamptz) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE
PARALLEL SAFE AS $$
DECLARE
    at timestamp := p_ts AT TIME ZONE 'UTC';
    months text[] := CASE p_language::text
        WHEN 'english' THEN '{January,February,March,April,May,June,July,August,September,October,November,December}'
        WHEN 'german' THEN '{Januar,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember}'
        WHEN 'spanish' THEN
            '{enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre}'
        WHEN 'french' THEN
            '{janvier,février,mars,avril,mai,juin,juillet,août,septembre,octobre,novembre,décembre}'
        WHEN 'italian' THEN
            '{gennaio,febbraio,marzo,aprile,maggio,giugno,luglio,agosto,settembre,ottobre,novembre,dicembre}'
        WHEN 'portuguese' THEN
            '{janeiro,fevereiro,março,abril,maio,junho,julho,agosto,setembro,outubro,novembro,dezembro}'
        WHEN 'dutch' THEN
            '{januari,februari,maart,april,mei,juni,juli,augustus,september,oktober,november,december}'
        WHEN 'arabic' THEN '{يناير,فبراير,مارس,أبريل,مايو,يونيو,يوليو,أغسطس,سبتمبر,أكتوبر,نوفمبر,ديسمبر}'
        END;
BEGIN
    RETURN to_tsvector(p_language, concat_ws(' ', months[extract(month FROM at)::int], to_char(at, 'YYYY FMDD')));
END $$;
