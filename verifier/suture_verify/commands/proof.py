"""`suture-verify proof`: verify a proof from the server with a tree head that you kept."""

import json
import sys
import uuid
from pathlib import Path
from typing import Any

import click

from suture_verify.commands.output import FOUND, WHOLE, refuse, say, shown
from suture_verify.entries import bytes_of
from suture_verify.merkle import leaf_hash, verify_consistency, verify_inclusion
from suture_verify.notes import MalformedNote, TreeHead, origin_of, parse_kept

_INCLUSION = {"kind", "id", "position", "row", "leaf_hash", "size", "root", "path"}
_CONSISTENCY = {"old_size", "new_size", "old_root", "new_root", "path"}


class MalformedProof(ValueError):  # noqa: N818 (bad input, not a bug)
    """The text is not a proof from the API; the message gives the reason."""


class ProofFails(Exception):  # noqa: N818 (an answer, not an error)
    """The proof does not hold; the message gives the reason."""


@click.command()
@click.argument("file", metavar="PROOF", type=click.Path(path_type=Path))
@click.option(
    "--trusted-tree-head",
    "tree_heads",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="A file of tree heads that you kept. May be repeated.",
)
def proof(file: Path, tree_heads: tuple[Path, ...]) -> None:
    """Check an inclusion proof or a consistency proof against tree heads that you kept.

    PROOF is the JSON answer of /ledger/proof/inclusion or /ledger/proof/consistency.

    The exit code is 0 if the proof holds, 1 if it does not, and 2 if a file cannot be read.
    """
    path = file
    try:
        fields = _read_proof(file)
        heads: list[TreeHead] = []
        for path in tree_heads:
            heads += [note.tree_head for note in parse_kept(path.read_text(encoding="utf-8"))]
        path = file
        held = _check_inclusion(fields, heads) if "leaf_hash" in fields else _check_consistency(fields, heads)
    except ProofFails as reason:
        say("The proof does not hold:", "red", f" {shown(reason)}")
        sys.exit(FOUND)
    except UnicodeDecodeError:
        refuse(path, "not UTF-8")
    except (MalformedProof, MalformedNote) as error:
        refuse(path, str(error))
    except OSError as error:
        refuse(path, error.strerror or str(error))
    say("The proof holds:", "green", f" {shown(held)}")
    sys.exit(WHOLE)


def _read_proof(path: Path) -> dict[str, Any]:
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError:
        raise MalformedProof("not JSON") from None
    if not isinstance(fields, dict) or fields.keys() not in (_INCLUSION, _CONSISTENCY):
        raise MalformedProof("neither an inclusion proof nor a consistency proof from the API")
    for name, value in fields.items():
        if name in {"position", "size", "old_size", "new_size"} and (type(value) is not int or value < 0):
            raise MalformedProof(f"{name} is not a whole number")
        if name in {"kind", "id"} and not isinstance(value, str):
            raise MalformedProof(f"{name} is not a string")
    if not isinstance(fields["path"], list):
        raise MalformedProof("path is not a list")
    if not isinstance(fields.get("row"), str | None):
        raise MalformedProof("row is not a string")
    try:
        fields["path"] = [bytes_of(node) for node in fields["path"]]
        fields |= {name: bytes_of(fields[name]) for name in fields if name == "leaf_hash" or name.endswith("root")}
    except ValueError as error:
        raise MalformedProof(f"a hash is {error}") from None
    return fields


def _check_inclusion(fields: dict[str, Any], heads: list[TreeHead]) -> str:
    """Return a sentence about the proven facts. Raises ProofFails."""
    size, leaf = fields["size"], fields["leaf_hash"]
    if fields["row"] is not None:
        heads = _heads_of_tenant(fields, heads)
    head = _trusted(heads, size, fields["root"])
    if not verify_inclusion(leaf, fields["position"], size, fields["path"], head.root):
        raise ProofFails("the leaf hash and the path do not give the root of the tree head.")
    what = f"the {fields['kind']} {fields['id']}"
    if fields["row"] is None:
        # Only the row, which has been deleted, binds a leaf to its kind and id.
        what = f"the leaf hash of {what}, whose row was deleted,"
    return f"{what} is leaf {fields['position']} of the {size} in the tree head."


def _heads_of_tenant(fields: dict[str, Any], heads: list[TreeHead]) -> list[TreeHead]:
    """Return the tree heads of the row's tenant. Raises ProofFails if the row contradicts the proof."""
    if leaf_hash(fields["row"].encode()) != fields["leaf_hash"]:
        raise ProofFails("the row does not give the leaf hash.")
    try:
        kind, tenant, row_id, *_ = json.loads(fields["row"])
        origin = origin_of(uuid.UUID(tenant))
        names = (kind.partition("/")[0], row_id)
    except (ValueError, TypeError, AttributeError):
        raise ProofFails("the row does not begin with a kind, a tenant and an id.") from None
    if names != (fields["kind"], fields["id"]):
        raise ProofFails(f"the row is the {names[0]} {names[1]}, not the {fields['kind']} {fields['id']}.")
    own = [head for head in heads if head.origin == origin]
    if heads and not own:
        raise ProofFails(f"the row belongs to {origin}, and the tree heads belong to others.")
    return own


def _check_consistency(fields: dict[str, Any], heads: list[TreeHead]) -> str:
    """Return a sentence about the proven facts. Raises ProofFails."""
    old, new = fields["old_size"], fields["new_size"]
    head = _trusted(heads, old, fields["old_root"])
    known = [one for one in heads if one.size == new and one.origin == head.origin]
    if known and fields["new_root"] not in [one.root for one in known]:
        raise ProofFails(f"your tree head of {new} rows has another root.")
    if not verify_consistency(old, new, head.root, fields["new_root"], fields["path"]):
        raise ProofFails(f"the tree of {new} rows does not begin with the {old} rows of the tree head.")
    warning = "" if known else " You have no tree head of the newer tree, so its root is unverified."
    return f"the tree of {new} rows begins with the {old} rows of the tree head.{warning}"


def _trusted(heads: list[TreeHead], size: int, root: bytes) -> TreeHead:
    """Return the tree head with this size and root. Raises ProofFails."""
    of_size = [head for head in heads if head.size == size]
    if not of_size:
        sizes = ", ".join(str(known) for known in sorted({head.size for head in heads})) or "none"
        raise ProofFails(
            f"no trusted tree head has {size} rows (yours have: {sizes}). Request the proof for one of these sizes."
        )
    for head in of_size:
        if head.root == root:
            return head
    raise ProofFails(f"your tree head of {size} rows has another root.")
