ALTER INDEX effective_chunk_terms SET (gin_pending_list_limit = 256);
