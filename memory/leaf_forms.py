"""The forms of the leaves of memory's record (suture_verify/leaves.py)."""

from suture_verify.leaves import Element, Gathered, Group, LeafForm, TextDigest, Words, columns, optional

#: What all records of memory begin with.
_SCOPE = Group(columns("scope subject_type subject_id project_id session_id channel sensitivity ts:moment"))
#: The numbers of the audiences, of which a reader must hear each.
_AUDIENCE = optional("audience:integers")
RECORDER = columns("recorder_kind recorded_by:uuid recorder")
_AGENT = columns("agent_id:uuid agent")
REMOVER = columns("remover_kind removed_by:uuid remover removed_at:moment")
_CONTENT: tuple[Element, ...] = (*columns("content_id:uuid"), Words("content_id"))
_DETAILS: tuple[Element, ...] = (*columns("details_id:uuid"), Words("details_id"))

EVENT = LeafForm(
    "event/1",
    _SCOPE,
    *columns("actor_type actor_id kind tags:texts refs:texts redacted:texts retention"),
    *_CONTENT,
    *columns("fields_id:uuid"),
    Words("fields_id"),
    *RECORDER,
    *columns("recorded_at:moment"),
    *_AUDIENCE,
)
CHUNK = LeafForm(
    "chunk/1",
    _SCOPE,
    *columns("event_id:uuid source"),
    *_CONTENT,
    *columns("span_start:integer span_end:integer chunk_index:integer total_chunks:integer importance:number"),
    *columns("tags:texts retention"),
    *RECORDER,
    *_AUDIENCE,
)
DECISION = LeafForm(
    "decision/1", _SCOPE, *columns("event_id:uuid"), *_CONTENT, *_DETAILS, *columns("supersedes_id:uuid"), *_AUDIENCE
)
TASK = LeafForm("task/1", _SCOPE, *columns("task_id:uuid event_id:uuid status"), *_CONTENT, *_DETAILS, *_AUDIENCE)
ARTIFACT = LeafForm("artifact/1", _SCOPE, *columns("event_id:uuid"), *_CONTENT, *columns("media_type"), *_AUDIENCE)
AGENT_MEMORY = LeafForm(
    "agent_memory/1",
    *columns("agent_id:uuid seq:integer type reason block_label version:integer previous_block_seq:integer"),
    *columns("is_core:boolean expires_at:moment"),
    Gathered("memory_supersession", "successor_id", "superseded_seq", columns("superseded_seq:integer")),
)
RELATION = LeafForm(
    "relation/1", *columns("kind later_id:uuid earlier_id:uuid key key_digest:bytes"), *RECORDER, *columns("at:moment")
)
CONTEXT_BUNDLE = LeafForm(
    "context_bundle/1",
    *columns("built_at:moment actor_kind actor_id:uuid actor request:json query_hash:bytes"),
    TextDigest("items"),
    TextDigest("omissions"),
    *columns("total_tokens:integer edits_applied:integer"),
)
DELIVERY = LeafForm(
    "delivery/1",
    *columns("chunk_id:uuid version:integer receiver_kind receiver_id:uuid receiver means session_id at:moment"),
    *optional("on_behalf_of"),
)
PROMOTION = LeafForm(
    "promotion/1",
    *columns("chunk_id:uuid number:integer kind from_tier to_tier reason evidence:json"),
    *columns("promoter_kind promoted_by:uuid promoter at:moment"),
)
CHECKPOINT = LeafForm(
    "checkpoint/1",
    *columns("running_id:uuid session_id turn:integer depth:integer format_version kind size:integer"),
    *columns("stored_size:integer sha256:bytes state_sha256:bytes path"),
    *_AGENT,
    *columns("created_at:moment"),
)
CHECKPOINT_REMOVAL = LeafForm("checkpoint_removal/1", *columns("checkpoint_id:uuid reason erasure_id:uuid"), *REMOVER)
OPERATION_DONE = LeafForm(
    "operation_done/1", *columns("checkpoint_id:uuid operation_id note"), *_AGENT, *columns("done_at:moment")
)
OUTCOME = LeafForm(
    "outcome/1",
    *columns("chunk_id:uuid version:integer outcome session_id note reporter_kind reported_by:uuid reporter"),
    *columns("at:moment"),
)
CONFIDENCE_CHANGE = LeafForm(
    "confidence_change/1",
    *columns("chunk_id:uuid number:integer kind before:number after:number outcome_id:uuid is_failure:boolean"),
    *columns("reason changer_kind changed_by:uuid changer at:moment"),
)
VALUE = LeafForm(
    "value/1",
    *_CONTENT,
    *columns("subject_type subject_id project_id session_id by_recorder channel since:moment until:moment"),
    *columns("ends_at:moment retention"),
    *RECORDER,
    *columns("recorded_at:moment"),
)
