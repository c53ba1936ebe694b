-- What Django models cannot express about memory's tables: the search vector, index terms, a guard, defaults, row
-- types, and the privileges of roles.

-- The search vector of the effective text, NULL if retracted. It is no field of the model, because the web role may not
-- read it.
ALTER TABLE memory_effectivechunk ADD COLUMN tsv tsvector;

-- The vector of those words with their context, what the neighbours in the session say (lex_vector). NULL if retracted,
-- and until the job has computed it (complete_context). Nobody else reads it either: a place in it is a word's digest.
ALTER TABLE memory_effectivechunk ADD COLUMN lex sparsevec;

-- The effective text, NULL if retracted or expired, as the search vector of it. It is no field of the model, because the
-- web role may not read it. The planner keeps no samples of it.
ALTER TABLE memory_effectivechunk ADD COLUMN text text;
ALTER TABLE memory_effectivechunk ALTER COLUMN text SET STATISTICS 0;

-- Room on each page for the vector of words, which comes after the row, and for edits: with it, two of three updates stay
-- on their page and add no index entries (HOT). At 85, three of five moved the row, and the table took more pages
-- (measured, at real lengths of texts).
ALTER TABLE memory_effectivechunk SET (fillfactor = 70);

-- The text must not push the vectors, which a search reads for every match, out of the row.
ALTER TABLE memory_effectivechunk SET (toast_tuple_target = 4080);

-- The prefix of the terms of a tenant's chunks. Two tenants with the same prefix would share index lists, not chunks.
CREATE FUNCTION term_prefix(p_tenant uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT right(p_tenant::text, 8)
$$;

-- A term of the index. No word begins with a space, so the kinds of terms cannot collide. Long terms are hashed,
-- because a search vector holds at most a megabyte.
CREATE FUNCTION index_term(p_prefix text, p_term text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT p_prefix || CASE WHEN length(p_term) > 32 THEN md5(p_term) ELSE p_term END
$$;

-- The number of the time span that a moment is in: 4096 seconds long at level 0, 8 times longer at each next level.
CREATE FUNCTION time_span(p_ts timestamptz, p_level int) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT floor(extract(epoch FROM p_ts AT TIME ZONE 'UTC') / 4096)::bigint >> 3 * p_level
$$;

-- The index terms of a chunk:
--   ''                  the tenant
--   ' time LEVEL SPAN'  its time spans, levels 0 to 5
--   ' one in N'         the sample of N = 64 or 512 that it is in, the second within the first; chosen by the id's last,
--                       random bits
--   ' scope SCOPE' ...  its filters
--   WORD                each word of its search vector
--   ' many words'       instead of the words, if they are too many for a vector with the prefix before each
CREATE FUNCTION index_terms(
    p_tenant uuid, p_id uuid, p_ts timestamptz, p_channel text, p_scope text, p_subject_type text, p_subject_id text,
    p_project_id text, p_session_id text, p_tsv tsvector
) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    prefix text := term_prefix(p_tenant);
    span bigint := time_span(p_ts, 0);
    chance int := get_byte(uuid_send(p_id), 14) << 8 | get_byte(uuid_send(p_id), 15);
    terms text[] := ARRAY[
        '', ' time 0 ' || span, ' time 1 ' || (span >> 3), ' time 2 ' || (span >> 6), ' time 3 ' || (span >> 9),
        ' time 4 ' || (span >> 12), ' time 5 ' || (span >> 15),
        ' channel ' || p_channel, ' scope ' || p_scope, ' subject_type ' || p_subject_type,
        ' subject_id ' || p_subject_id, ' project_id ' || p_project_id, ' session_id ' || p_session_id,
        CASE WHEN chance % 64 = 0 THEN ' one in 64' END, CASE WHEN chance % 512 = 0 THEN ' one in 512' END,
        CASE WHEN length(p_tsv) > 7000 THEN ' many words' END];
BEGIN
    IF length(p_tsv) <= 7000 THEN terms := terms || tsvector_to_array(p_tsv); END IF;
    RETURN array_to_tsvector(ARRAY(SELECT index_term(prefix, t) FROM unnest(terms) t WHERE t IS NOT NULL));
END $$;

GRANT EXECUTE ON FUNCTION term_prefix, index_term, time_span, index_terms TO suture_gate;

-- Full text within one tenant, whatever other tenants hold. Every search reads its list of pending entries, 1 MB: at the
-- default of 4 MB a search after some thousand inserts took 2.5 times as long. A new chunk has some thirty entries; the
-- more of them are merged together, the fewer pages are written: at 256 KB a chunk in a batch took 5.9 KB of the log, at
-- 1 MB 4.1, and a search found no difference (measured).
-- It takes 55 s and 216 MB per 1,000,000 chunks of 50 words, a fifth more than the words alone (measured).
CREATE INDEX effective_chunk_terms ON memory_effectivechunk USING gin (
    index_terms(tenant_id, id, ts, channel, scope, subject_type, subject_id, project_id, session_id, tsv)
) WITH (gin_pending_list_limit = 1024) WHERE NOT is_retracted AND superseded_by IS NULL;

-- The chunks with a tag. Most have none.
CREATE INDEX chunk_tags ON memory_chunk USING gin (tenant_id, tags) WITH (gin_pending_list_limit = 256)
    WHERE tags <> '{}';

-- The vector of an embedding: numbers, bits or weights of terms. Kept in the row although long, because retrieval compares
-- many; compressing them gains nothing.
ALTER TABLE memory_embedding ADD COLUMN dense halfvec, ADD COLUMN bits bit varying, ADD COLUMN sparse sparsevec;
ALTER TABLE memory_embedding ALTER COLUMN dense SET STORAGE MAIN;
ALTER TABLE memory_embedding ADD CONSTRAINT embedding_has_one_vector CHECK (
    (dense IS NOT NULL)::int + (bits IS NOT NULL)::int + (sparse IS NOT NULL)::int = 1);

-- Vectors of usual lengths in space E1 by their neighbourhood, whatever model made them; semantic_candidates compares
-- those of other lengths one by one. Of a long vector, the index has one bit a number, and the vectors of the best are
-- compared: at 1,536 numbers it takes a twelfth of the room (measured).
CREATE INDEX embedding_near_384 ON memory_embedding USING hnsw ((dense::halfvec(384)) halfvec_cosine_ops)
    WHERE space = 'E1' AND vector_dims(dense) = 384;
CREATE INDEX embedding_near_512 ON memory_embedding USING hnsw ((dense::halfvec(512)) halfvec_cosine_ops)
    WHERE space = 'E1' AND vector_dims(dense) = 512;
CREATE INDEX embedding_near_768 ON memory_embedding USING hnsw ((dense::halfvec(768)) halfvec_cosine_ops)
    WHERE space = 'E1' AND vector_dims(dense) = 768;
CREATE INDEX embedding_near_1024 ON memory_embedding USING hnsw ((dense::halfvec(1024)) halfvec_cosine_ops)
    WHERE space = 'E1' AND vector_dims(dense) = 1024;
CREATE INDEX embedding_near_1536 ON memory_embedding USING hnsw ((binary_quantize(dense)::bit(1536)) bit_hamming_ops)
    WHERE space = 'E1' AND vector_dims(dense) = 1536;
CREATE INDEX embedding_near_3072 ON memory_embedding USING hnsw ((binary_quantize(dense)::bit(3072)) bit_hamming_ops)
    WHERE space = 'E1' AND vector_dims(dense) = 3072;

-- Tasks that are not done, for context bundles: by session, or by subject and project. By status: `doing` comes before
-- `open`.
CREATE INDEX effective_task_of_session ON memory_effectivetask (tenant_id, session_id, status, ts DESC, id DESC)
    WHERE status IN ('open', 'doing') AND NOT is_retracted;

CREATE INDEX effective_task_about ON memory_effectivetask (
    tenant_id, coalesce(subject_type, ''), coalesce(subject_id, ''), coalesce(project_id, ''), status, ts DESC, id DESC
) WHERE status IN ('open', 'doing') AND NOT is_retracted;

-- Whether a principal was given sensitive memory in a session, for the summaries that it records.
CREATE INDEX context_bundle_given ON memory_contextbundle (tenant_id, actor_id, (request ->> 'session_id'), sensitivity)
    WHERE sensitivity IN ('low', 'high');

-- A chunk as readers see it.
CREATE TYPE chunk_row AS (
    chunk_id uuid, text text, importance numeric, ts timestamptz, edits_applied int, is_retracted boolean,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, tags text[]
);

-- A memory of an agent's chain as its agent sees it. `superseded_by` is a number of the chain.
CREATE TYPE agent_memory_row AS (
    seq bigint, chunk_id uuid, type text, content text, content_hash text, importance numeric, retention text, tier text, ts timestamptz,
    channel text, sensitivity text, scope text, subject_type text, subject_id text, project_id text, session_id text,
    tags text[], is_superseded boolean, superseded_by bigint, supersedes bigint[], reason text, block_label text,
    version int, previous_block_seq bigint, is_core boolean, expires_at timestamptz, edits_applied int,
    is_quarantined boolean, access_count bigint, last_accessed timestamptz
);

-- A chunk for a context bundle: `withheld` says why it has no words, `rank` how well it matched, `available` how many
-- chunks the whole list has.
CREATE TYPE context_chunk_row AS (
    chunk_id uuid, withheld text, text text, importance numeric, ts timestamptz, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, recorder_kind text,
    recorded_at timestamptz, kind text, actor_type text, actor_id text, is_whole boolean, rank real, content_hash text, available int
);

-- A search, on its way through the functions that rank (ranked_chunks). What the reader may find:
CREATE TYPE search_filter AS (
    listening text[], sensitivities text[], channels text[], include_quarantined boolean, scope text,
    subject_type text, subject_id text, project_id text, session_id text, include_archived boolean,
    without_recorders text[]
);

-- What the query says (parse_question): the terms that rank, what every match fulfils, whether that asks for words and
-- does not only exclude some, which chunks match by their own words, what is marked in a snippet, and whether it is a
-- question in plain words.
CREATE TYPE search_question AS (
    language regconfig, terms text[], required tsquery, is_narrowed boolean, matching tsquery, marked tsquery,
    is_open boolean
);

-- How it is ranked by meaning: in hybrid mode with the weight alpha, by the vector of the query in a model.
CREATE TYPE search_meaning AS (mode text, alpha real, vector halfvec, model text);

-- The row after which a page begins.
CREATE TYPE search_place AS (rank real, scale float8, importance numeric, ts timestamptz, chunk_id uuid);

-- What each term counts (term_weights_of): its query, in how many chunks of `total` it is, its weight, and all weights
-- as one vector.
CREATE TYPE term_weights AS (
    terms text[], queries tsquery[], dfs bigint[], idfs float8[], total bigint, vector sparsevec, matching tsquery
);

-- How the chunks to score are found (choose_lane).
CREATE TYPE search_lane AS (
    narrow text, terms tsquery[], newest tsquery, since timestamptz, is_crowded boolean, estimate bigint
);

-- A chunk that matches by words, with how many do (word_matches); one that was judged by everything (judged_chunks), and
-- one with its rank.
CREATE TYPE word_match AS (chunk_id uuid, importance numeric, ts timestamptz, score float8, matches bigint);
CREATE TYPE judged_chunk AS (
    chunk_id uuid, importance numeric, ts timestamptz, words float8, is_match boolean, is_named boolean, meaning real,
    is_question boolean
);
CREATE TYPE ranked_chunk AS (
    chunk_id uuid, rank real, words real, meaning real, is_named boolean, is_question boolean, alpha real,
    asking real, scale float8, match_count bigint, ranking text, following bigint, duplicates uuid[]
);

-- The effective text of a chunk for who acts in this transaction; no row if they may not read it. The view depends on
-- it, so it is not among the functions that are replaced.
GRANT CREATE ON SCHEMA public TO suture_gate;
SET ROLE suture_gate;
CREATE FUNCTION effective_words(p_tenant uuid, p_chunk uuid) RETURNS TABLE (text text) LANGUAGE plpgsql STABLE
SECURITY DEFINER ROWS 1 SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN QUERY
    SELECT span_of(c.body, x.span_start, x.span_end) FROM memory_effectivechunk x
    CROSS JOIN LATERAL content_of(p_tenant, x.content_id) c
    WHERE x.tenant_id = p_tenant AND x.id = p_chunk AND x.channel = ANY (me.channels)
      AND is_seen(x, me.channels, sensitivities_heard(p_tenant, me.channels), true);
END $$;

GRANT EXECUTE ON FUNCTION effective_words TO suture_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;

-- The chunks that the reader may see, in every channel of their key, as the specification prints them: row security
-- shows the rows of the context's tenant only, and the words come from the gate.
CREATE VIEW effective_chunks WITH (security_invoker = true) AS
SELECT x.tenant_id, x.id AS chunk_id, w.text, x.importance, x.channel, x.scope, x.subject_type, x.subject_id,
    x.project_id, x.is_retracted, x.is_quarantined, x.blocked_channels, x.ts
FROM memory_effectivechunk x CROSS JOIN LATERAL effective_words(x.tenant_id, x.id) w
WHERE NOT x.is_retracted AND x.superseded_by IS NULL;

GRANT SELECT ON effective_chunks TO suture_app;

-- Which memory each consolidation superseded, as the specification prints it: under the reader's own rights.
CREATE VIEW consolidations WITH (security_invoker = true) AS
SELECT s.tenant_id, s.agent_id, s.successor_seq AS consolidation_seq, s.superseded_seq FROM memory_supersession s
WHERE s.kind = 'consolidation';

GRANT SELECT ON consolidations TO suture_app;

-- For tools that insert rows without record_events.
ALTER TABLE memory_event ALTER COLUMN retention SET DEFAULT 'relationship';
ALTER TABLE memory_chunk ALTER COLUMN retention SET DEFAULT 'relationship';

-- What the gate's functions read and write.
GRANT SELECT ON memory_event, memory_chunk, memory_effectivechunk, memory_decision, memory_effectivedecision,
    memory_task, memory_effectivetask, memory_artifact, memory_removedvalue, memory_contextbundle TO suture_gate;
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_term, memory_termcount TO suture_gate;

GRANT SELECT, INSERT, DELETE ON memory_duplicate TO suture_gate;
GRANT INSERT ON memory_contextbundle, memory_contextbundleitem TO suture_gate;
GRANT INSERT, DELETE ON memory_removedvalue TO suture_gate;
GRANT INSERT ON memory_event, memory_chunk, memory_decision, memory_task, memory_artifact TO suture_gate;
GRANT INSERT, UPDATE, DELETE ON memory_effectivechunk, memory_effectivedecision, memory_effectivetask TO suture_gate;

GRANT SELECT, INSERT, UPDATE, DELETE ON memory_pendingcontext TO suture_gate;

-- Only functions read vectors; the web role sees which models there are, and what waits.
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_embedding, memory_embeddingitem, memory_embeddingmodel TO suture_gate;
GRANT SELECT ON memory_embeddingitem, memory_embeddingmodel TO suture_app;

-- The web role's own privileges: the record without its words, the projection without its search vectors.
GRANT SELECT ON memory_event, memory_chunk, memory_decision, memory_effectivedecision, memory_task,
    memory_effectivetask, memory_artifact TO suture_app;
GRANT SELECT (tenant_id, id, event_id, source, chunk_index, tier, importance, content_id, span_start, span_end,
    recorded_by, recorder, tags, scope, subject_type, subject_id, project_id, session_id, channel, sensitivity, ts,
    is_retracted, is_quarantined, blocked_channels, superseded_by, edits_applied) ON memory_effectivechunk
    TO suture_app, suture_review;
GRANT SELECT ON memory_contextbundle, memory_contextbundleitem TO suture_app;

GRANT SELECT ON memory_event, memory_chunk, memory_decision, memory_effectivedecision, memory_task,
    memory_effectivetask, memory_artifact TO suture_review;

-- An agent's own memory.
GRANT SELECT, INSERT ON memory_agentmemory, memory_supersession, memory_delivery TO suture_gate;
GRANT SELECT, INSERT, UPDATE ON memory_chunkaccess TO suture_gate;
GRANT SELECT ON memory_agentmemory, memory_supersession, memory_delivery, memory_chunkaccess TO suture_app;
GRANT SELECT ON memory_agentmemory, memory_supersession TO suture_review;
GRANT SELECT (is_superseded, seq, block_label, is_core, expires_at, is_expired) ON memory_effectivechunk
    TO suture_app, suture_review;

-- Captured memory.
GRANT SELECT, INSERT ON memory_capture, memory_captureremoval, memory_fileversion, memory_fileplacement TO suture_gate;
GRANT SELECT ON memory_capture, memory_captureremoval, memory_fileversion, memory_fileplacement TO suture_app;
GRANT SELECT ON memory_capture, memory_fileversion, memory_fileplacement TO suture_review;

-- The use of memory, and its tiers.
GRANT SELECT, INSERT ON memory_outcome, memory_confidencechange, memory_promotion TO suture_gate;
GRANT SELECT, INSERT, UPDATE ON memory_chunksession TO suture_gate;
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_promotioncheck, memory_promotiondue TO suture_gate;
GRANT SELECT ON memory_chunksession, memory_outcome, memory_confidencechange, memory_promotion, memory_promotioncheck
    TO suture_app;
GRANT SELECT ON memory_outcome, memory_confidencechange, memory_promotion, memory_promotioncheck, memory_chunkaccess
    TO suture_review;

-- Sessions and checkpoints. The web role reads where states are; it writes nothing.
GRANT SELECT, INSERT ON memory_checkpoint, memory_checkpointremoval, memory_operationdone TO suture_gate;
GRANT SELECT, INSERT, UPDATE ON memory_runningsession, memory_checkpointstate, memory_checkpointusage TO suture_gate;
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_sessionturn TO suture_gate;
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_sessionshare TO suture_gate;
GRANT SELECT, INSERT, DELETE ON memory_checkpointmemory TO suture_gate;
GRANT SELECT ON memory_runningsession, memory_sessionturn, memory_sessionshare, memory_checkpoint,
    memory_checkpointstate, memory_checkpointremoval, memory_checkpointmemory, memory_operationdone,
    memory_checkpointusage TO suture_app;
