"""A client that calls a tool over MCP gets the receipt of what the call recorded, and can check it later."""

import json
from pathlib import Path
from typing import Any

import pytest

from suture_client.mcp.tools import RECEIPT
from suture_verify.receipts import Receipt
from tests.mcp_server.serving import Serving, text_of
from tests.stack.running import eventually

pytestmark = [pytest.mark.slow, pytest.mark.stack, pytest.mark.anyio]


def verified(serving: Serving, receipt: Path, export: Path) -> Any:
    """Run `suture verify-receipt` on a receipt and a current export."""
    export.write_bytes(serving.download("ledger/entries", serving.bob))
    return serving.run("verify-receipt", str(receipt), str(export))


async def test_a_call_that_records_has_its_receipt_as_metadata(serving: Serving, tmp_path: Path) -> None:
    async with serving.connected() as client:
        await client.list_tools()
        result = await client.call_tool("memory_commit", {"content": "The user has a receipt"})
    assert not result.is_error
    assert result.meta is not None
    receipt = Receipt.parse(result.meta[RECEIPT])
    assert receipt.is_signed
    assert result.structured_content["chunk_id"] in {str(row.id) for row in receipt.rows}
    # the model reads neither
    assert "receipt" not in result.structured_content
    assert json.loads(text_of(result.content)) == result.structured_content

    kept, export = tmp_path / "kept.json", tmp_path / "ledger.jsonl"
    kept.write_text(json.dumps(result.meta[RECEIPT]))
    eventually(lambda: verified(serving, kept, export).returncode == 0)


async def test_a_call_that_records_nothing_has_none(serving: Serving) -> None:
    chunk = serving.record("The user has no receipt")
    async with serving.connected() as client:
        await client.list_tools()
        seen = await client.call_tool("preview_edit", {"target_id": chunk, "op": "retract"})
        refused = await client.call_tool("propose_edit", {"target_id": chunk, "op": "improve"})
    assert not seen.is_error
    assert refused.is_error
    for result in (seen, refused):
        assert RECEIPT not in (result.meta or {})
