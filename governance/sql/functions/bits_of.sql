-- Bits, of which those with the given numbers, from 0, are 1. Made of words of 64 bits.
CREATE OR REPLACE FUNCTION bits_of(p_numbers int[]) RETURNS varbit LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT ('x' || string_agg(encode(int8send(coalesce(w.bits, 0)), 'hex'), '' ORDER BY s.n))::varbit
        FROM generate_series(0, (SELECT max(m) FROM unnest(p_numbers) m) >> 6) s (n)
        LEFT JOIN (
            SELECT m >> 6 AS n, bit_or(1::bigint << (63 - (m & 63))) AS bits FROM unnest(p_numbers) m GROUP BY 1
        ) w ON w.n = s.n);
END $$;
