"""Who sees a record is decided once, by `why_hidden`: in its order, for every table, and nowhere else."""

import ast
import itertools
import json
import re
from pathlib import Path

import pytest
from django.db import connections

from governance.acting import gate

ROOT = Path(__file__).resolve().parents[2]
APPS = ("governance", "memory", "capsules", "capture")

#: The functions that may name the column: each either says what why_hidden is asked of, or does not decide who sees.
ASK = {
    "is_heard_by",
    "why_chunk_hidden",
    "why_decision_hidden",
    "why_task_hidden",
    "why_capsule_hidden",
    "get_events",
    "list_artifacts",
    "is_seen_in_chain",
    "memory_at",
}
FOLD = {
    "fold_at",
    "fold_edits",
    "fold_memory",
    "folded_memory",
    "unshared_span",
    "fold_decision",
    "fold_task",
    "fold_capsule",
}
WRITE = {
    "insert_capsule", "project_chunks", "record_events", "refold_locked_memories", "refold_one_capsule",
    "refold_one_decision", "refold_task", "repair_effective",
}  # fmt: skip
#: Who lends words to whom, which follows from why_hidden (test_who_may_see_a_chunk_may_see_what_lends_it_words).
LEND = {"lends_to", "lent_words", "lex_of_chunks", "embedding_source"}
COMPARE = {
    "capsules_drift", "effective_drift", "expected_capsules", "state_of_capsule", "state_of_chunk",
    "state_of_decision",
}  # fmt: skip
#: They tell people, not readers; and an agent what has changed of what it had.
REPORT = {
    "chunk_standing", "get_chunk_history", "is_edited_away", "preview_of_capsule", "preview_of_chunk",
    "preview_of_decision", "preview_of_value",
}  # fmt: skip

TABLES = {
    "chunk": "memory_effectivechunk",
    "decision": "memory_effectivedecision",
    "task": "memory_effectivetask",
    "capsule": "capsules_effectivecapsule",
}


def expected(retracted, superseded, blocked, quarantined, channel, sensitivity, listening, hears, included, heard):
    audience, bits, hears_all = heard
    if audience is not None and not hears_all and not all(bits[number : number + 1] == "1" for number in audience):
        return "audience"
    if retracted:
        return "retracted"
    if superseded:
        return "superseded"
    if set(blocked) & {*listening, *hears[:1]}:
        return "blocked"
    if quarantined and not included:
        return "quarantined"
    if channel not in hears and channel != "":
        return "channel"
    return None if sensitivity in hears else "sensitivity"


CASES = list(
    itertools.product(
        (False, True),
        (False, True),
        ([], ["team"], ["public", "team"], ["agent:1"]),
        (False, True),
        ("", "public", "private"),
        ("none", "high", "secret"),
        ([], ["public"], ["public", "private"]),
        (["agent:2"], ["agent:1", "public", "none", "low"], ["agent:1", "public", "private", "none", "low", "high"]),
        (False, True),
        # the audience, the bits of the reader, and whether they hear all
        ((None, "", False), ([0], "", False), ([1], "01", False), ([0, 2], "1", False), ([2, 0], "101", False),
         ([5], "", True)),
    )
)  # fmt: skip


NAMES = (
    "is_retracted", "is_superseded", "blocked_channels", "is_quarantined", "channel", "sensitivity", "listening",
    "hears", "included", "heard",
)  # fmt: skip
#: The reader who hears these labels and audiences.
READER = "ROW(hears, hears_all, bits::varbit)::reader"
ASKED = ", ".join(["audience", *NAMES[:-1]]).replace("hears", READER)
#: The cases as rows: `n` is the number of each, `superseded_by` a column of the table.
ROWS = """(
    SELECT c.*, CASE WHEN c.is_superseded THEN gen_random_uuid() END AS superseded_by FROM jsonb_to_recordset(%s) AS c
    (n int, is_retracted boolean, is_superseded boolean, blocked_channels text[], is_quarantined boolean,
     channel text, sensitivity text, listening text[], hears text[], included boolean, audience int[], bits text,
     hears_all boolean)
) c"""


def answers(sql, cases, using="default"):
    """What a query on ROWS says of each case, in their order."""
    rows = json.dumps(
        [
            {
                "n": number,
                **dict(zip(NAMES[:-1], case[:-1], strict=True)),
                **dict(zip(("audience", "bits", "hears_all"), case[-1], strict=True)),
            }
            for number, case in enumerate(cases)
        ]
    )
    return gate.rows(f"{sql.format(rows=ROWS)} ORDER BY c.n", [rows], using=using)


@pytest.mark.django_db
def test_the_first_reason_is_named():
    found = answers(f"SELECT why_hidden({ASKED}) AS why FROM {{rows}}", CASES)
    assert [row["why"] for row in found] == [expected(*case) for case in CASES]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "unknown", ["blocked_channels", "channel", "sensitivity", "listening", "hears", "bits", "member"]
)
def test_what_is_unknown_hides(unknown):
    case = [False, False, [], False, "public", "none", ["public"], ["public", "none"], False, (None, "", False)]
    if unknown in NAMES:
        case[NAMES.index(unknown)] = None
    else:
        case[-1] = {"bits": ([0], None, False), "member": ([None], "1", False)}[unknown]
    (found,) = answers(f"SELECT why_hidden({ASKED}) AS why FROM {{rows}}", [case])
    assert found["why"] is not None


@pytest.mark.django_db(databases=["default", "owner"])
@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_record_is_hidden_alike(kind):
    cases = [
        case
        for case in CASES
        if (kind == "chunk" or not case[NAMES.index("is_superseded")])
        and (case[NAMES.index("channel")] == "") == (kind == "capsule")
        and (kind != "capsule" or case[-1][0] is None)
    ]
    seen = f"is_seen(x, listening, {READER}, included)" if kind == "chunk" else "NULL"
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET LOCAL ROLE suture_gate")
    found = answers(
        f"SELECT why_{kind}_hidden(x, listening, {READER}, included) AS why, {seen} AS seen FROM {{rows}}"
        f" CROSS JOIN LATERAL jsonb_populate_record(NULL::{TABLES[kind]}, to_jsonb(c)) x",
        cases,
        using="owner",
    )
    assert [row["why"] for row in found] == [expected(*case) for case in cases]
    if kind == "chunk":
        assert [row["seen"] for row in found] == [row["why"] is None for row in found]


@pytest.mark.django_db(databases=["default", "owner"])
def test_who_may_see_a_chunk_may_see_what_lends_it_words():
    records = list(
        itertools.product(
            (False, True), (False, True), ([], ["team"], ["public", "team"]), (False, True), ("public", "private"),
            ("none", "low", "high", "secret"), (None, [0], [0, 1]),
        )
    )  # fmt: skip
    heard = [["private", "public", "none", "low", "high"], ["private", "public", "none", "low"], ["public", "none"]]
    listening = (["public"], ["team"], ["public", "team"], ["private"])
    readers = list(itertools.product(listening, heard, (False, True), ("", "1", "01", "11")))
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET LOCAL ROLE suture_gate")
    rows = [json.dumps([dict(zip((*NAMES[:6], "audience"), case, strict=True)) for case in records])] * 2
    given = json.dumps([dict(zip((*NAMES[6:9], "bits"), reader, strict=True)) for reader in readers])
    record = (
        "jsonb_to_recordset(%s) AS {} (is_retracted boolean, is_superseded boolean, blocked_channels text[],"
        " is_quarantined boolean, channel text, sensitivity text, audience int[])"
    )
    seen = (
        "why_hidden({0}.audience, {0}.is_retracted, {0}.is_superseded, {0}.blocked_channels, {0}.is_quarantined,"
        " {0}.channel, {0}.sensitivity, r.listening, ROW(r.hears, false, r.bits::varbit)::reader, r.included) IS NULL"
    )
    (found,) = gate.rows(
        "WITH pair AS MATERIALIZED (SELECT n.*, l.lends, k.is_retracted AS k1,"
        " k.is_superseded AS k2, k.blocked_channels AS k3, k.is_quarantined AS k4, k.channel AS k5,"
        " k.sensitivity AS k6, k.audience AS k7"
        f" FROM {record.format('n')}, {record.format('k')}, LATERAL (SELECT lends_to("
        ' jsonb_populate_record(NULL::memory_effectivechunk, to_jsonb(n) || \'{"session_id": "s"}\' ||'
        " CASE WHEN n.is_superseded THEN jsonb_build_object('superseded_by', gen_random_uuid()) ELSE '{}' END),"
        ' jsonb_populate_record(NULL::memory_chunk, to_jsonb(k) || \'{"session_id": "s"}\'), k.blocked_channels,'
        " k.audience) AS lends) l)"
        " SELECT count(*) FILTER (WHERE n.lends) AS lent, count(*) FILTER (WHERE n.lends AND NOT"
        f" ({seen.format('n')}) AND why_hidden(n.k7, n.k1, n.k2, n.k3, n.k4, n.k5, n.k6, r.listening,"
        " ROW(r.hears, false, r.bits::varbit)::reader, r.included) IS NULL) AS leaks FROM pair n,"
        " jsonb_to_recordset(%s) AS r (listening text[], hears text[], included boolean, bits text)",
        [*rows, given],
        using="owner",
    )
    assert found["lent"] > 10000
    assert found["leaks"] == 0


@pytest.mark.django_db
def test_no_other_function_names_the_column():
    found = gate.rows(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
        " AND regexp_replace(prosrc, '--[^\\n]*', '', 'g') ~ '\\mblocked_channels\\M'",
        (),
    )
    assert {row["proname"] for row in found} == ASK | FOLD | WRITE | LEND | COMPARE | REPORT


#: The functions that ask whether a reader hears an audience themselves: they leave out what answers as unknown, or
#: choose a plan by what the reader may find.
HEAR = {
    "why_hidden", "why_chunk_hidden", "hears", "hears_event", "active_task_ids", "record_updates", "audience_given",
    "created_first", "first_with_key", "current_memory", "versions_of_memory", "checkpoint_corrections",
    "get_session_window", "handoff_ids", "narrow_filter", "notices_since",
    "usersets_of_memory",
}  # fmt: skip


@pytest.mark.django_db
def test_who_hears_an_audience_is_asked_of_one_function():
    found = gate.rows(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
        " AND prosrc ~ '\\m(hears|hears_each|get_bit)\\('",
        (),
    )
    assert {row["proname"] for row in found} == HEAR | {"hears_each"}


@pytest.mark.pure
def test_no_python_compares_the_column():
    """Neither in Python (`in`, `&`, `==`), nor in the SQL of a string."""
    files = [path for app in APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts]
    assert [f"{path}:{line}" for path in files for line in comparisons(path.read_text())] == []


IN_SQL = re.compile(r"blocked_channels\s*(&&|@>|<@|=|<>)|(&&|@>|<@|ANY\s*\()\s*(\w+\.)?blocked_channels")


def comparisons(source):
    """The lines of a file where the column is an operand of a comparison."""
    return [getattr(node, "lineno", 0) for node in ast.walk(ast.parse(source)) if compares(node)]


def compares(node):
    match node:
        case ast.Compare() | ast.BinOp(op=ast.BitAnd()):
            named = ((getattr(one, "attr", ""), getattr(one, "id", "")) for one in ast.walk(node))
            return any("blocked_channels" in names for names in named)
        case ast.Constant(value=str() as text):
            return IN_SQL.search(text) is not None
        case ast.keyword(arg=str() as name):
            return name.startswith("blocked_channels__")
    return False


@pytest.mark.pure
@pytest.mark.parametrize(
    "source",
    [
        "channel in state.blocked_channels",
        "set(row.blocked_channels) & set(channels)",
        "rows('SELECT 1 WHERE NOT x.blocked_channels && %s')",
        "rows.exclude(blocked_channels__overlap=channels)",
    ],
)
def test_a_comparison_is_found(source):
    assert comparisons(source) == [1]
