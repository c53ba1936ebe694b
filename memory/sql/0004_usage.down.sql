ALTER TYPE search_filter DROP ATTRIBUTE include_archived;
REVOKE ALL ON memory_chunksession, memory_outcome, memory_confidencechange, memory_promotion, memory_promotioncheck,
    memory_promotiondue FROM suture_gate, suture_app, suture_review;
REVOKE SELECT ON memory_chunkaccess FROM suture_review;
