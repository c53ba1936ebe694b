"""Who hears what, in plain Python: principals, relations with their times, rules, and records."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Relation:
    """A principal stands in a relation to an object; `is_current` says whether it is valid now and not revoked."""

    principal: str
    relation: str
    object: str
    is_current: bool


@dataclass(frozen=True)
class Record:
    """A recorded text. `audience` has the JSON of the request: None leaves it to the rules."""

    text: str
    subject: str
    tag: str
    kind: str
    audience: dict[str, list[str]] | str | None


@dataclass
class Model:
    """What a tenant knows of its principals."""

    relations: list[Relation] = field(default_factory=list)
    #: (object type, relation, implied relation)
    implied: list[tuple[str, str, str]] = field(default_factory=list)
    #: (subject type, tag, kind) -> audience
    rules: dict[tuple[str, str, str], dict[str, list[str]]] = field(default_factory=dict)

    def hears(self, principal: str, record: Record) -> bool:
        """Whether a principal hears a record."""
        audience = self._audience_of(record)
        if audience == "default" or audience is None:
            return True
        assert isinstance(audience, dict)
        if principal in {record.subject if one == "subject" else one for one in audience.get("principals", [])}:
            return True
        wanted = {f"role:{role}#member" for role in audience.get("roles", [])}
        wanted |= {one if "#" in one else f"{record.subject}#{one}" for one in audience.get("relations", [])}
        return bool(wanted & self._stands_in(principal))

    def _audience_of(self, record: Record) -> dict[str, list[str]] | str | None:
        if record.audience is not None:
            return record.audience
        subject_type = record.subject.partition(":")[0]
        matching = [
            (conditions, audience)
            for conditions, audience in self.rules.items()
            if all(
                not wanted or wanted == has
                for wanted, has in zip(conditions, (subject_type, record.tag, record.kind), strict=True)
            )
        ]
        if not matching:
            return None
        return max(matching, key=lambda one: (sum(map(bool, one[0])), bool(one[0][1]), bool(one[0][2])))[1]

    def _stands_in(self, principal: str) -> set[str]:
        held = {(one.object, one.relation) for one in self.relations if one.principal == principal and one.is_current}
        implied = {
            (object, implies)
            for object, relation in held
            for object_type, of, implies in self.implied
            if object.partition(":")[0] == object_type and relation == of
        }
        return {f"{object}#{relation}" for object, relation in held | implied}
