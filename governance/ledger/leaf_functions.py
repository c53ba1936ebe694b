"""Generate the SQL function `leaves_of_<name>(tenant, ids)` of each sealed kind from the kind's form. Receipts contain
the hashes of these leaves. Verification builds them again in Python from the same form (suture_verify/leaves.py).

A connection plans each once: planned with the statement that calls it, the leaves of a record took longer to plan than
to read. The LIMIT makes each row a lookup by the primary key: for a condition on all ids, the planner may read the
tenant's part of any index that ends with the id. Only gate functions call it, so it needs no SECURITY DEFINER.
"""

from collections.abc import Iterator

from governance.database.functions import Definition
from governance.ledger import sealed_kinds
from governance.ledger.sealed_kinds import SealedKind
from suture_verify.leaves import Column, Element, Gathered, Group, Optional, TextDigest, Type, Words


def definitions() -> Iterator[Definition]:
    """The functions of all kinds. The prefix of the kind's table is its app."""
    for kind in sealed_kinds.kinds():
        yield Definition(kind.table.partition("_")[0], f"leaves_of_{kind.name}", text_of(kind))


def text_of(kind: SealedKind) -> str:
    """The function of a kind."""
    return f"""\
CREATE OR REPLACE FUNCTION leaves_of_{kind.name}(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    SELECT r.id, jsonb_build_array('{kind.form.name}', {_listed(kind.form.elements)}){_appended(kind.form.elements)}
    FROM unnest(p_ids) AS w (id)
    CROSS JOIN LATERAL (SELECT * FROM {kind.table} t WHERE t.tenant_id = p_tenant AND t.id = w.id LIMIT 1) r;
END $$;
"""  # noqa: S608 (the names are those of the form)


def _listed(elements: tuple[Element, ...]) -> str:
    return ", ".join(_value_of(element) for element in elements if not isinstance(element, Optional))


def _appended(elements: tuple[Element, ...]) -> str:
    return "".join(
        f"\n        || CASE WHEN r.{element.name} IS NULL THEN '[]' ELSE jsonb_build_array({_value_of(element)}) END"
        for element in elements
        if isinstance(element, Optional)
    )


def _value_of(element: Element) -> str:
    match element:
        case Column(name, Type.MOMENT):
            return f"microseconds(r.{name})"
        case Column(name, Type.BYTES):
            return f"encode(r.{name}, 'hex')"
        case Column(name):
            return f"r.{name}"
        case Optional(name, type):
            return _value_of(Column(name, type))
        case Words(name):
            return f"(SELECT sha.hex FROM content_digest(p_tenant, r.{name}) sha)"  # noqa: S608 (the column is the form's)
        case TextDigest(name):
            return _digest_of(f"r.{name}::text")
        case Group(elements):
            return f"jsonb_build_array({_listed(elements)})"
        case Gathered(table, key, order, columns):
            of_row = f"FROM {table} g WHERE g.tenant_id = p_tenant AND g.{key} = r.id"
            if len(columns) == 1:
                return f"ARRAY(SELECT g.{columns[0].name} {of_row} ORDER BY g.{order})"
            line = ", ".join(f"g.{column.name}" for column in columns)
            lines = f"string_agg(concat_ws(' ', {line}), E'\\n' ORDER BY g.{order})"
            digest = _digest_of(f"coalesce({lines}, '')")
            return f"(SELECT {digest} {of_row})"


def _digest_of(text: str) -> str:
    return f"encode(sha256(convert_to({text}, 'UTF8')), 'hex')"
