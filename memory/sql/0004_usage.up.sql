-- What Django models cannot express about the use of memory and its tiers: rights, and a flag of searches. None of these
-- tables has words of memory.

-- What the gate's functions read and write.
GRANT SELECT, INSERT ON memory_outcome, memory_confidencechange, memory_promotion TO suture_gate;
GRANT SELECT, INSERT, UPDATE ON memory_chunksession TO suture_gate;
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_promotioncheck, memory_promotiondue TO suture_gate;

-- The web role's own privileges.
GRANT SELECT ON memory_chunksession, memory_outcome, memory_confidencechange, memory_promotion, memory_promotioncheck
    TO suture_app;
GRANT SELECT ON memory_outcome, memory_confidencechange, memory_promotion, memory_promotioncheck, memory_chunkaccess
    TO suture_review;

-- Whether a search also finds archived memory.
ALTER TYPE search_filter ADD ATTRIBUTE include_archived boolean;
