-- They answer rows of tables that go.
DROP FUNCTION IF EXISTS latest_of_file, session_to_use, checkpoint_to_use;
DROP VIEW consolidations;
DROP TYPE agent_memory_row CASCADE;
DROP VIEW effective_chunks;
DROP FUNCTION effective_words;
DROP TYPE ranked_chunk, judged_chunk, word_match, search_lane, term_weights, search_place, search_meaning, search_question,
    search_filter CASCADE;
DROP TYPE context_chunk_row, chunk_row CASCADE;
ALTER TABLE memory_embedding DROP COLUMN dense, DROP COLUMN bits, DROP COLUMN sparse;
DROP INDEX chunk_tags;
DROP INDEX effective_chunk_terms;
DROP FUNCTION index_terms, index_term, time_span, term_prefix CASCADE;
ALTER TABLE memory_effectivechunk DROP COLUMN lex, DROP COLUMN tsv, DROP COLUMN text;
