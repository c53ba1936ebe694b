"""Searching chunks."""

import json
from collections.abc import Mapping
from typing import Any

from django.db import models
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text as rules
from governance.acting.principals import Principal
from governance.api.shapes import NoticeOutput
from governance.database.typed_calls import ColumnDict
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import cursor_for_body, read_cursor_of_body
from governance.http.views import GovernedView
from governance.inputs import (
    BooleanField,
    CharField,
    ChoiceField,
    FloatField,
    InstantField,
    IntegerField,
    ListField,
    PatternField,
    StrictSerializer,
    TextField,
)
from governance.models import Channel
from memory.api import shapes
from memory.event_content import ScopeFields, id_field
from memory.models import Kind
from memory.queries import search as searching
from memory.queries.conditions import with_conditions
from memory.queries.reranking import RERANK_WEIGHT, Match, Reranked, reranked_search
from memory.queries.rows import FoundChunk
from memory.queries.search import Mode
from memory.usage.deliveries import deliver
from memory.usage.means import Means

MODES = [(mode.value, mode.value) for mode in Mode]
_NOT_OF_A_CHUNK = (
    *("total_count", "ranking", "following", "scale", "words", "meaning", "is_named", "is_question", "alpha", "asking"),
    *("lent", "unknown"),
)
_highlighted_json = ColumnDict(FoundChunk, *_NOT_OF_A_CHUNK)
_found_json = ColumnDict(FoundChunk, *_NOT_OF_A_CHUNK, "snippet")


#: The most subjects of one search.
MAX_SUBJECTS = 50
#: The most conditions of a kind.
MAX_CONDITIONS = 20


def _conditions(help_text: str) -> ListField:
    return ListField(child=TextField(rules.CONDITION), max_length=MAX_CONDITIONS, required=False, help_text=help_text)


class ConditionFields(StrictSerializer):
    """Conditions that every result fulfils, for programs: with any of them, `query` has only words."""

    phrases = _conditions("Phrases that every result has.")
    all_of = _conditions("Words that every result has.")
    none_of = _conditions("Words or phrases that no result has.")
    prefix = ListField(
        child=PatternField(rules.CONDITION, r"\w{3,32}", "3 to 32 letters or digits"),
        max_length=MAX_CONDITIONS,
        required=False,
        help_text="Every result has a word that begins with each of these 3 to 32 letters or digits.",
    )


def _moment(what: str) -> InstantField:
    about = f"Only memory {what}. A date alone is its start in UTC."
    return InstantField(reads_dates=True, required=False, help_text=about)


class FilterFields(StrictSerializer):
    """Filters of a search, beside those of every list."""

    subject_ids = ListField(
        child=id_field(),
        required=False,
        allow_empty=False,
        max_length=MAX_SUBJECTS,
        help_text="Only memory about any of these subjects.",
    )
    tag = id_field(required=False, help_text="Only memory with this tag.")
    recorder = id_field(required=False, help_text="Only memory that this agent or person recorded, by name.")
    actor = id_field(required=False, help_text="Only what this actor_id said or did.")
    kind = ChoiceField(Kind.choices, required=False, help_text="Only events of this kind.")
    since = _moment("from this time on")
    until = _moment("from before this time")


class SearchInput(ConditionFields, FilterFields, ScopeFields):
    query = TextField(
        rules.QUERY,
        help_text="A question, or words: chunks with any of them, best first. Conditions that every result fulfils:"
        ' "words in quotes", words joined by OR or AND in capitals, -excluded, begin* (at least 3 letters). If no'
        " memory fulfils them, the words alone are searched, with a notice.",
    )
    session_id = id_field(required=False, allow_null=True)
    include_quarantined = BooleanField(
        default=False,
        help_text="Include quarantined memory. An agent needs an admin's permission, except with itself as `recorder`.",
    )
    include_archived = BooleanField(
        default=False, help_text="Include memory that was archived because nobody used it for a long time."
    )
    channel = ChoiceField(Channel.choices, required=False, allow_null=True)
    limit = IntegerField(min_value=1, max_value=200, default=10)
    mode = ChoiceField(
        MODES,
        default=Mode.HYBRID.value,
        help_text="Rank by words (`keyword`), meaning (`semantic`), or both (`hybrid`).",
    )
    hybrid_alpha = FloatField(
        min_value=0,
        max_value=1,
        required=False,
        allow_null=True,
        help_text="The weight of meaning in `hybrid` mode (default: the tenant's setting).",
    )
    rerank = BooleanField(
        default=False,
        help_text="Rerank the best 50 results by how well each word of the query matches a word of the result (E12).",
    )
    collapse_duplicates = BooleanField(default=True, help_text="Omit chunks that say the same as a better result.")
    highlight = BooleanField(default=False)
    explain = BooleanField(default=False, help_text="Explain the rank of each result.")
    cursor = CharField(
        required=False,
        allow_null=True,
        help_text="The value of `next` in the previous page; send the same other fields.",
    )


CONDITIONS = tuple(ConditionFields._declared_fields)


class SpaceScoreOutput(serializers.Serializer[Any]):
    score = serializers.FloatField(allow_null=True, help_text="From 0 to 1; null if the chunk has no vector yet.")
    weight = serializers.FloatField()
    contribution = serializers.FloatField(help_text="The contribution of the space to the rank.")
    rank = serializers.IntegerField(required=False, help_text="With `rerank`: the position by this space.")


class LentOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    terms = serializers.ListField(child=serializers.CharField())


class ExplainOutput(serializers.Serializer[Any]):
    spaces = serializers.DictField(
        child=SpaceScoreOutput(), help_text="By name: E6 is words, E1 is meaning (docs/spaces.md)."
    )
    names_speaker = serializers.BooleanField(
        help_text="The query names the speaker, so its score for words is a tenth higher."
    )
    is_question = serializers.BooleanField(
        help_text="The chunk only asks, so it counts less for a question in plain words."
    )
    own_terms = serializers.ListField(
        child=serializers.CharField(), help_text="Words of the query in the chunk itself."
    )
    lent_terms = LentOutput(many=True, help_text="Words of the query that come from neighbouring chunks.")


class FoundChunkOutput(shapes.TaggedChunkOutput):
    rank = serializers.FloatField(help_text="From 0 to 1, relative to the best result by words.")
    duplicates = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="Matches that say the same about the same subject: omitted unless `collapse_duplicates` is false.",
    )
    snippet = serializers.CharField(
        required=False, help_text="With `highlight`: escaped HTML with the matches in <mark>."
    )
    explain = ExplainOutput(required=False, help_text="With `explain`: the parts of the rank.")


class SearchOutput(serializers.Serializer[Any]):
    chunks = FoundChunkOutput(many=True)
    total_count = serializers.IntegerField()
    total_is_estimate = serializers.BooleanField()
    ranking = serializers.ChoiceField(
        [("exact", "exact"), ("windowed", "windowed")],
        help_text="`windowed`: there are more matches than can be ranked and paged: these are the ones with the rarest"
        " words, or the newest.",
    )
    mode = serializers.ChoiceField(
        MODES,
        help_text="The mode that was used: `keyword` instead of another mode if there were no vectors to compare.",
    )
    notices = NoticeOutput(many=True, help_text="What you should know about the results.")
    next = serializers.CharField(allow_null=True, help_text="The cursor of the next page; null on the last one.")


class SearchView(IdempotentMixin, GovernedView):
    """Search chunks."""

    stores_response = False
    only_reads = True
    enters_each_statement = True

    @extend_schema(
        operation_id="chunks_search",
        request=SearchInput,
        responses=SearchOutput,
        description="Search effective text with a question in plain words, or with conditions (see `query`).",
    )
    def post(self, request: Request) -> Response:
        values = SearchInput.of(request.data)
        return Response(searched_json(self.principal, values))


def searched_json(principal: Principal, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The results of a search for a validated `SearchInput`."""
    values = dict(asked)
    cursor = values.pop("cursor", None)
    about = dict(values)
    highlight, explain = values.pop("highlight"), values.pop("explain")
    arguments = {
        "channel": values.pop("channel", None),
        "include_quarantined": values.pop("include_quarantined"),
        "include_archived": values.pop("include_archived"),
        "limit": values.pop("limit"),
        "highlight": highlight,
        "explain": explain,
        "mode": Mode(values.pop("mode")),
        "alpha": values.pop("hybrid_alpha", None),
        "collapse": values.pop("collapse_duplicates"),
        "after": _place(principal, cursor, about) if cursor is not None else None,
    }
    query, rerank = values.pop("query"), values.pop("rerank")
    conditions = {name: given for name in CONDITIONS if (given := values.pop(name, None))}
    if conditions:
        query = with_conditions(query, **conditions)
        arguments["keep_conditions"] = True
    if rerank:
        reranked = reranked_search(principal, query, filters=values, **arguments)
    else:
        reranked = Reranked(searching.search(principal, query, filters=values, **arguments))
    found, matches = reranked.result, reranked.matches
    deliver(principal, [(row.chunk_id, row.edits_applied) for row in found.chunks], means=Means.SEARCH)
    as_json = _highlighted_json if highlight else _found_json
    return {
        "chunks": [
            as_json(row) | ({"explain": _explained(row, matches.get(row.chunk_id))} if explain else {})
            for row in found.chunks
        ],
        "total_count": found.total,
        "total_is_estimate": found.ranking == "windowed",
        "ranking": found.ranking,
        "mode": found.mode,
        "notices": [{"code": one.code, "detail": one.detail} for one in found.notices],
        "next": None if found.next is None else _cursor(principal, found.next, about),
    }


def _place(principal: Principal, cursor: str, about: dict[str, Any]) -> searching.Place:
    fields = [models.FloatField(), models.TextField()]
    scale, shown = read_cursor_of_body(principal, cursor, about=about, fields=fields, scope="search")
    return searching.Place(scale, frozenset(shown.split()))


def _cursor(principal: Principal, place: searching.Place, about: dict[str, Any]) -> str:
    values = (place.scale, " ".join(sorted(place.shown)))
    return cursor_for_body(principal, values, about=about, scope="search")


def _explained(row: FoundChunk, match: Match | None) -> dict[str, Any]:
    """The parts of a chunk's rank: rank_of.sql, and E12 if the model compared words; then the other contributions are
    smaller."""
    rest = 1 / (1 + RERANK_WEIGHT) if match else 1
    share = rest / (1 + row.asking)
    meaning = row.words / 2 if row.meaning is None else max(row.meaning, 0.0)
    spaces = {
        "E6": _space_score(row.words, 1 - row.alpha, (1 - row.alpha) * row.words * share),
        "E1": _space_score(row.meaning, row.alpha, row.alpha * meaning * share),
    }
    if match:
        spaces["E12"] = _space_score(match.score, RERANK_WEIGHT, match.contribution, match.place)
    terms = json.loads(row.lent or "{}")
    return {
        "spaces": spaces,
        "names_speaker": row.is_named,
        "is_question": row.is_question,
        "own_terms": terms.get("own") or [],
        "lent_terms": terms.get("lent") or [],
    }


def _space_score(score: float | None, weight: float, contribution: float, rank: int | None = None) -> dict[str, Any]:
    return {
        "score": None if score is None else round(score, 6),
        "weight": round(weight, 6),
        "contribution": round(contribution, 6),
        **({} if rank is None else {"rank": rank}),
    }
