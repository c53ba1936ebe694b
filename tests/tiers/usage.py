"""What a memory was used for, written as the job and the services of usage would leave it."""

import itertools
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import Max
from django.utils import timezone

from memory.models import (
    ChunkAccess,
    ChunkSession,
    ConfidenceChange,
    Delivery,
    EffectiveChunk,
    Outcome,
    Promotion,
    PromotionCheck,
    PromotionDue,
)
from memory.tiers import promoting
from tests.owning import as_owner
from tests.world import World

#: When the tests' evaluations happen: after everything that they let happen with the clock of the database.
NOW = timezone.now() + timedelta(hours=1)
DAY = timedelta(days=1)


@dataclass
class Usage:
    """The use of the memories of a tenant. Every change makes the chunk due, as the services do."""

    world: World

    def _access(self, chunk: str, **values: Any) -> None:
        of_chunk = {"tenant_id": self.world.tenant_id, "id": uuid.UUID(str(chunk))}
        with self.world.inside(), as_owner():
            if not ChunkAccess.objects.filter(**of_chunk).update(**values):
                ChunkAccess.objects.create(**of_chunk, **values)
        self.due(chunk)

    def due(self, chunk: str, at: datetime = NOW) -> None:
        """Have the job evaluate the chunk."""
        of_chunk = {"tenant_id": self.world.tenant_id, "id": uuid.UUID(str(chunk))}
        with self.world.inside(), as_owner():
            PromotionDue.objects.filter(**of_chunk).delete()
            PromotionDue.objects.create(**of_chunk, due_at=at)

    def used(self, chunk: str, *sessions: str, times: int = 1, at: datetime = NOW) -> None:
        """Deliveries to agents in sessions, `times` in each."""
        for session in sessions:
            with self.world.inside(), as_owner():
                ChunkSession.objects.create(
                    tenant_id=self.world.tenant_id,
                    chunk_id=chunk,
                    session_id=session,
                    access_count=times,
                    first_accessed=at,
                    last_accessed=at,
                )
                for _ in range(times):
                    self._delivery(chunk, session, at)
        with self.world.inside():
            before = ChunkAccess.objects.filter(tenant_id=self.world.tenant_id, id=chunk).first()
        count = (before.access_count if before else 0) + times * len(sessions)
        self._access(chunk, access_count=count, last_accessed=at)

    def _delivery(self, chunk: str, session: str, at: datetime) -> None:
        """One of alice's reads."""
        Delivery.objects.create(
            tenant_id=self.world.tenant_id,
            chunk_id=chunk,
            version=0,
            receiver_kind="agent",
            receiver_id=self.world.alice_principal.id,
            receiver="alice",
            means="get",
            session_id=session,
            at=at,
        )

    def confident(self, chunk: str, after: str, at: datetime, *, is_failure: bool = False) -> None:
        """A change of the confidence, by an outcome."""
        of_chunk = {"tenant_id": self.world.tenant_id, "chunk_id": uuid.UUID(str(chunk)), "at": at}
        by = self.world.bob_principal.id
        with self.world.inside(), as_owner():
            last = ConfidenceChange.objects.filter(tenant_id=self.world.tenant_id, chunk_id=chunk).order_by("number")
            before = last.last()
            outcome = Outcome.objects.create(
                **of_chunk,
                version=0,
                outcome="failure" if is_failure else "success",
                session_id=str(uuid.uuid4()),
                reporter_kind="human",
                reported_by=by,
                reporter="bob",
            )
            ConfidenceChange.objects.create(
                **of_chunk,
                number=before.number + 1 if before else 1,
                kind="outcome",
                before=before.after if before else Decimal("0.5"),
                after=Decimal(after),
                outcome_id=outcome.id,
                is_failure=is_failure,
                changer_kind="human",
                changed_by=by,
                changer="bob",
            )
        with self.world.inside():
            access = ChunkAccess.objects.filter(tenant_id=self.world.tenant_id, id=chunk).first()
        successes, failures = (access.successes, access.failures) if access else (0, 0)
        self._access(
            chunk,
            confidence=Decimal(after),
            successes=successes + (not is_failure),
            failures=failures + is_failure,
            last_outcome_at=at,
        )

    def put_in(self, chunk: str, tier: str, at: datetime = NOW) -> None:
        """Let the chunk be in a tier, by promotions of that time, as the record and the projection would say it."""
        order = ["task", "session", "longterm", "archive"]
        of_chunk = {"tenant_id": self.world.tenant_id, "chunk_id": uuid.UUID(str(chunk))}
        with self.world.inside(), as_owner():
            number = Promotion.objects.filter(**of_chunk).aggregate(last=Max("number"))["last"] or 0
            for step, (before, after) in enumerate(
                itertools.pairwise(order[: order.index(tier) + 1]), start=number + 1
            ):
                Promotion.objects.create(
                    **of_chunk,
                    number=step,
                    kind="automatic",
                    from_tier=before,
                    to_tier=after,
                    reason="a test",
                    evidence={},
                    promoter_kind="system",
                    promoted_by=uuid.UUID(int=0),
                    promoter="a test",
                    at=at,
                )
            EffectiveChunk.objects.filter(tenant_id=self.world.tenant_id, id=chunk).update(tier=tier)
        self.due(chunk)

    def worthy(self, chunk: str, at: datetime = NOW) -> None:
        """All that the way from session to longterm needs at `at`, at its thresholds."""
        self.used(chunk, "one", "two", "three", at=at - DAY)
        self.confident(chunk, "0.8", at - 7 * DAY)

    def run(self, now: datetime = NOW, **options: Any) -> promoting.Summary:
        """Run the job in this tenant."""
        return promoting.promote(now=now, among=[self.world.tenant_id], **options)

    def tier(self, chunk: str) -> str:
        with self.world.inside():
            return EffectiveChunk.objects.get(tenant_id=self.world.tenant_id, id=chunk).tier

    def check(self, chunk: str) -> PromotionCheck:
        """The chunk's last evaluation that moved nothing."""
        with self.world.inside():
            return PromotionCheck.objects.get(tenant_id=self.world.tenant_id, id=chunk)

    def moves(self, chunk: str | None = None) -> list[Promotion]:
        with self.world.inside():
            found = Promotion.objects.filter(tenant_id=self.world.tenant_id)
            return list((found.filter(chunk_id=chunk) if chunk else found).order_by("chunk_id", "number"))

    def due_at(self, chunk: str) -> datetime | None:
        """When the chunk is due; only the owner of the tables sees it."""
        sql = (
            "UPDATE memory_promotiondue SET due_at = due_at WHERE tenant_id = %s AND id = %s"
            " RETURNING (extract(epoch FROM due_at) * 1000000)::bigint"
        )
        with self.world.inside(), as_owner(), connection.cursor() as cursor:
            cursor.execute(sql, [self.world.tenant_id, chunk])
            row = cursor.fetchone()
        return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=row[0]) if row else None
