"""The items of each kind of source. The samples follow the formats that the readers cite."""

import json
import zipfile

import pytest

from suture_client.hooks import captures as hook_captures
from suture_client.hooks.agents import claude_code
from suture_client.importing import sources
from tests.importing.conftest import SAMPLES

pytestmark = pytest.mark.pure


def by_text(api):
    """The server's events, by their words."""
    return {one["content"]["text"]: one for one in api if "text" in one["content"]}


def test_mem0_memories_keep_their_user_time_categories_and_metadata(api, run):
    # github.com/mem0ai/mem0, docs/cookbooks/essentials/exporting-memories.mdx: what get_all() answers
    done = run("mem0", "mem0.json")
    assert done.exit_code == 1
    assert "results 4: A memory needs one of the fields" in done.output
    assert "1 left out: empty memory." in done.output
    events = by_text(api)
    assert set(events) == {
        "Prefers oat milk in coffee",
        "Works at TechCorp as a senior engineer",
        "alice works at techcorp",
    }
    coffee = events["Prefers oat milk in coffee"]
    assert (coffee["subject_type"], coffee["subject_id"]) == ("user", "alice")
    assert coffee["ts"] == "2026-01-03T16:15:30.123456+00:00"
    assert coffee["tags"] == ["mem0", "food", "preferences"]
    assert coffee["content"]["data"] == {"source": "onboarding"}
    assert coffee["refs"] == ["mem0:memory/5f2c1f3e-3b0a-4b0e-9a57-0a1f6c6d1a01"]
    assert (coffee["session_id"], coffee["channel"]) == ("import:mem0", "private")
    work = events["Works at TechCorp as a senior engineer"]
    assert (work["actor_id"], work["session_id"], work["project_id"]) == ("hr-bot", "mem0:call-9", "intranet")
    assert "data" not in work["content"]


@pytest.mark.parametrize(
    "content",
    [
        [{"id": "a", "memory": "Likes tea", "user_id": "bob"}],
        {"memories": [{"id": "a", "content": "Likes tea", "user_id": "bob", "created_at": "2026-04-10T12:00:00Z"}]},
        {"results": [{"id": "a", "memory": "Likes tea", "user_id": "bob", "score": 0.5}]},
    ],
)
def test_each_form_of_a_mem0_export_is_read(api, run, tmp_path, content):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(content))
    assert run("mem0", path).exit_code == 0
    (event,) = api
    assert (event["content"], event["subject_id"]) == ({"text": "Likes tea"}, "bob")


def test_mem0s_markdown_export_is_read(api, run):
    # github.com/mem0ai/mem0, integrations/mem0-plugin/scripts/parse_export_file.py
    assert run("mem0", "mem0-export-webshop-2026-05-01.md", "--subject", "user:ann").exit_code == 0
    events = by_text(api)
    first = events["Run the migrations before the tests"]
    assert first["tags"] == ["mem0", "coding_conventions", "task_learnings"]
    assert first["content"]["data"]["files"] == "src/foo.py, src/bar.py"
    assert (first["ts"], first["subject_id"]) == ("2026-01-01T00:00:00+00:00", "ann")
    assert events["The API answers 409 on a repeated id"]["content"] == {"text": "The API answers 409 on a repeated id"}


def test_an_export_of_mem0_by_a_schema_is_not_understood(api, run, tmp_path):
    # docs/platform/features/memory-export.mdx: its answer has no memories, only what the schema asks for
    path = tmp_path / "export.json"
    path.write_text('{"full_name": "Dev", "company": "TechCorp"}')
    done = run("mem0", path)
    assert done.exit_code == 1
    assert "full_name: This is not a memory of mem0" in done.output
    assert not api.items


def test_a_knowledge_graph_becomes_observations_and_relations(api, run):
    # github.com/modelcontextprotocol/servers, src/memory/index.ts: saveGraph
    done = run("mcp-memory", "memory.jsonl")
    assert done.exit_code == 1
    assert "memory.jsonl: line 5: This is neither an entity nor a relation." in done.output
    assert "memory.jsonl: line 6, column 55: The line is not JSON" in done.output
    events = by_text(api)
    assert set(events) == {
        "John_Smith: Speaks fluent Spanish",
        "John_Smith: Graduated in 2019",
        "Anthropic (organization)",
        "John_Smith works at Anthropic",
    }
    assert events["John_Smith: Graduated in 2019"]["tags"] == ["mcp-memory", "person"]
    assert events["John_Smith works at Anthropic"]["refs"] == [
        "mcp-memory:entity/John_Smith",
        "mcp-memory:entity/Anthropic",
    ]


@pytest.mark.parametrize(
    "content",
    [
        '{"type": "entity", "name": "Ann", "entityType": "person", "observations": ["Likes tea"]}',
        '{"entities": [{"name": "Ann", "entityType": "person", "observations": ["Likes tea"]}], "relations": []}',
    ],
)
def test_a_graph_of_one_entity_and_an_answer_of_read_graph_are_read(api, run, tmp_path, content):
    path = tmp_path / "memory.json"
    path.write_text(content)
    assert run("mcp-memory", path).exit_code == 0
    assert api.texts() == ["Ann: Likes tea"]


def test_a_graph_of_graphiti_becomes_episodes_entities_and_facts_with_their_times(api, run):
    # github.com/getzep/graphiti, graphiti_core/edges.py and nodes.py; help.getzep.com/sdk-reference/graph
    done = run("zep", "graphiti.json")
    assert done.exit_code == 1
    assert "edges 4: This is not a fact, episode or entity" in done.output
    events = by_text(api)
    fact = events["Alice lives in Bern"]
    assert fact["tags"] == ["zep", "fact"]
    assert (fact["ts"], fact["session_id"]) == ("2026-03-04T09:00:00+00:00", "zep:alice")
    assert fact["refs"] == ["zep:edge/f1", "zep:node/n1", "zep:node/n2", "zep:episode/e1"]
    over = events["Alice lives in Zurich (true until 2026-03-04)"]
    assert over["tags"] == ["zep", "fact", "invalidated"]
    assert over["content"]["data"] == {"relation": "LIVES_IN", "valid_from": "2025-01-01"}
    assert events["user: I have moved to Bern"]["actor_type"] == "human"
    billing = events['{"plan": "pro"}']
    assert (billing["actor_type"], billing["actor_id"], billing["session_id"]) == ("tool", "Billing", "zep:t-1")
    alice = events["Alice: A customer who moved to Bern."]
    assert alice["content"]["data"] == {"labels": ["Person"], "attributes": {"age": 41}}


def test_a_graph_of_neo4j_is_read(api, run):
    # neo4j.com/docs/apoc/current/export/json
    assert run("graphiti", "graphiti-neo4j.jsonl").exit_code == 0
    assert set(api.texts()) == {"Alice: Lives in Bern", "user: hello", "Alice lives in Bern"}


def test_a_fact_that_was_invalidated_since_the_last_import_is_added(api, run, tmp_path):
    path = tmp_path / "facts.json"
    fact = {"uuid": "f1", "fact": "Ann lives in Bern", "created_at": "2026-01-01T00:00:00Z", "invalid_at": None}
    path.write_text(json.dumps({"facts": [fact]}))
    assert run("zep", path).exit_code == 0
    path.write_text(json.dumps({"facts": [{**fact, "invalid_at": "2026-02-01T00:00:00Z"}]}))
    assert run("zep", path).exit_code == 0
    assert api.texts() == ["Ann lives in Bern", "Ann lives in Bern (true until 2026-02-01)"]


def test_an_agent_file_becomes_blocks_messages_files_and_passages(api, run):
    # github.com/letta-ai/agent-file; github.com/letta-ai/letta, letta/schemas/agent_file.py
    done = run("letta", "loop.af")
    assert done.exit_code == 1
    assert "messages 6: The message has the unknown role 'oracle'." in done.output
    events = by_text(api)
    assert events["Name: Sam\nHas a dog."]["content"]["data"] == {"block": "human", "description": "About the user"}
    assert events["My dog is called Rex"]["actor_type"] == "human"
    assert events["My dog is called Rex"]["session_id"] == "letta:Loop"
    said = events["Rex is a fine name."]
    assert (said["kind"], said["actor_id"], said["ts"]) == ("message", "Loop", "2026-01-22T02:07:01+00:00")
    assert events["Rex was born in 2021."]["tags"] == ["letta", "passage", "dog"]
    assert (events["The vet is open on Mondays."]["kind"], len(api.items)) == ("artifact", 6)
    (call,) = [one for one in api if one["kind"] == "tool_call"]
    assert call["content"]["arguments"] == {"label": "human", "value": "Dog: Rex"}


def test_an_agent_file_of_the_old_form_and_one_that_is_quoted_are_read(api, run, tmp_path):
    # letta/serialize_schemas/pydantic_agent_schema.py; customer_service_agent/customer_service.af
    old = {
        "agent_type": "memgpt_agent",
        "core_memory": [{"label": "human", "value": "Name: Sam", "limit": 2000}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hi"}], "created_at": "2025-01-01T00:00:00"}
        ],
        "name": "old",
        "system": "You are old.",
        "tools": [{"name": "send_message"}],
        "version": "0.6.4",
    }
    path = tmp_path / "old.af"
    path.write_text(json.dumps(json.dumps(old)))
    done = run("letta", path)
    assert done.exit_code == 0, done.output
    assert api.texts() == ["Name: Sam", "Hi"]


def test_a_conversation_of_chatgpt_keeps_the_branch_that_is_shown(api, run):
    # github.com/mitkury/chatgpt-export-parser, docs/chatgpt-data-export-format.md
    done = run("chatgpt", "conversations.json", "--subject", "user:ann")
    assert done.exit_code == 1
    assert "'Holiday in Porto', message n5: The message has the unknown type of content 'hologram'." in done.output
    assert "item 2: This is not a conversation" in done.output
    assert "1 left out: messages of branches that ChatGPT does not show." in done.output
    events = by_text(api)
    question = events["Where can I eat in Porto?"]
    assert (question["actor_type"], question["session_id"]) == ("human", "chatgpt:conv-1")
    assert (question["ts"], question["subject_id"]) == ("2026-01-01T00:00:01.250000+00:00", "ann")
    assert "Where can I eat?" not in events
    call = events['search("vegetarian Porto")']
    assert (call["kind"], call["content"]["tool"]) == ("tool_call", "browser")
    result = events["DaTerra\nhttps://example.com/daterra\nVegan buffet"]
    assert (result["kind"], result["actor_id"]) == ("tool_result", "browser")
    # without a time of its own it has that of the message before it
    assert events["Try DaTerra."]["ts"] == "2026-01-01T00:00:03+00:00"
    assert events["I am vegetarian.\n\nBe brief."]["tags"] == ["chatgpt", "about-the-user"]


def test_what_suture_answered_in_a_conversation_is_not_imported(api, run, tmp_path):
    text = (SAMPLES / "conversations.json").read_text()
    path = tmp_path / "conversations.json"
    path.write_text(text.replace('"name": "browser"', '"name": "suture.search_memory"'))
    done = run("chatgpt", path)
    assert "1 left out: calls of Suture's own tools, and their results." in done.output
    assert not [one for one in api if "Vegan buffet" in json.dumps(one["content"])]


def test_chatgpts_zip_file_is_read_directly(api, run, tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("export/chat.html", "<html></html>")
        archive.writestr("export/shared_conversations.json", "[{}]")
        archive.writestr("export/conversations-000.json", (SAMPLES / "conversations.json").read_bytes())
    done = run("chatgpt", path)
    assert "export.zip:export/conversations-000.json: item 2" in done.output
    assert "Try DaTerra." in api.texts()


def test_a_conversation_of_claude_keeps_its_words_tools_and_attachments(api, run):
    # the package claude-json-to-markdown
    done = run("claude", "claude.json", "--subject", "user:ann")
    assert done.exit_code == 1
    assert "'Tea in Bern', message 2: A part of the message has the unknown type 'hologram'." in done.output
    assert "'Tea in Bern', message 5: The message has the unknown sender 'system'." in done.output
    assert "'Tea in Bern', message 6: 'yesterday' is not a time." in done.output
    assert "item 2: This is not a conversation: it has no `chat_messages`." in done.output
    for left_out in ("1 left out: reasoning.", "2 left out: images and files.", "1 left out: empty message."):
        assert left_out in done.output
    events = by_text(api)
    question = events["Where do I get tea?"]
    assert (question["actor_type"], question["session_id"]) == ("human", "claude:c-1")
    assert (question["ts"], question["subject_id"]) == ("2026-02-01T10:00:01.250000+00:00", "ann")
    assert question["refs"] == ["claude:conversation/c-1"]
    assert events["I look it up.\nAt Laenggass-Tee."]["actor_id"] == "claude"
    # an export without blocks; without a time of its own it has that of the message before it
    assert events["Thanks"]["ts"] == "2026-02-01T10:00:09+00:00"
    result = events["Laenggass-Tee\nhttps://example.com\nA shop"]
    assert (result["kind"], result["actor_id"], result["content"]["call_id"]) == ("tool_result", "web_search", "t-1")
    (call,) = [one for one in api if one["kind"] == "tool_call"]
    assert call["content"] == {"tool": "web_search", "arguments": {"query": "tea Bern"}, "call_id": "t-1"}
    notes = events["Likes oolong"]
    assert (notes["kind"], notes["content"]["name"], notes["actor_type"]) == ("artifact", "notes.txt", "human")


def test_claudes_zip_file_is_read_directly_and_twice_records_nothing_twice(api, run, tmp_path):
    path = tmp_path / "data-2026-02-02.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("users.json", '[{"uuid": "a-1"}]')
        archive.writestr("projects.json", '[{"uuid": "p-1", "docs": []}]')
        archive.writestr("conversations.json", (SAMPLES / "claude.json").read_bytes())
    assert "6 recorded, 0 already recorded" in run("claude", path).output
    assert "0 recorded, 6 already recorded" in run("claude", path).output
    assert "0 recorded, 6 already recorded" in run("auto", path).output


@pytest.mark.parametrize("most", [{"MAX_RATIO": 200}, {"MAX_UNPACKED": 100_000}])
def test_a_zip_file_that_unpacks_to_much_more_is_refused(api, run, tmp_path, monkeypatch, most):
    for name, value in most.items():
        monkeypatch.setattr(sources, name, value)
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * 1_000_000 + b"]")
    done = run("chatgpt", path)
    assert done.exit_code == 2
    assert "would unpack to" in done.output
    assert api.texts() == []


def captures(api):
    """The server's captures: source and content."""
    return [(one["source"].get("hook_type") or one["source"]["response_type"], one["content"]) for one in api]


def test_a_transcript_becomes_the_captures_of_its_hooks(api, run):
    # github.com/simonw/claude-code-transcripts; github.com/Huntehhh/claude-code-chat, docs/claude-cli-jsonl-format.md
    done = run("claude-code", "transcript.jsonl")
    assert done.exit_code == 1
    assert "line 12, column 1: The line is not JSON" in done.output
    assert "2 lines have the unknown type 'hologram'." in done.output
    assert captures(api) == [
        ("UserPromptSubmit", "Fix the login"),
        ("PreToolUse", "Read: Reading file login.py"),
        ("PostToolUse", "Read: Reading file login.py\nOutput: def login(): ..."),
        ("stop", "I'll look at the form."),
        ("stop", "The login is fixed."),
        ("UserPromptSubmit", "Thanks"),
    ]
    first = next(iter(api))
    assert (first["session_id"], first["ts"]) == ("s-1", "2026-02-01T14:59:02.592000+00:00")
    assert [endpoint for endpoint, _ in api.requests] == ["captures"]


@pytest.mark.parametrize(
    "payload",
    [
        {"hook_event_name": "UserPromptSubmit", "prompt_id": "p-1", "prompt": "Fix the login"},
        {
            "hook_event_name": "PreToolUse",
            "prompt_id": "p-1",
            "tool_name": "Read",
            "tool_use_id": "toolu_1",
            "tool_input": {"file_path": "/home/ann/shop/login.py"},
        },
        {
            "hook_event_name": "PostToolUse",
            "prompt_id": "p-1",
            "tool_name": "Read",
            "tool_use_id": "toolu_1",
            "tool_input": {"file_path": "/home/ann/shop/login.py"},
            "tool_response": {
                "type": "text",
                "file": {"filePath": "/home/ann/shop/login.py", "content": "def login(): ..."},
            },
        },
        {"hook_event_name": "Stop", "prompt_id": "p-1", "last_assistant_message": "The login is fixed."},
    ],
    ids=lambda payload: payload["hook_event_name"],
)
def test_captures_of_hooks_have_the_same_ids_in_transcripts(api, run, payload):
    run("claude-code", "transcript.jsonl")
    call = claude_code.read({"session_id": "s-1", "cwd": "/home/ann/shop", **payload})
    assert call is not None
    text = (
        hook_captures.clean_description(call)
        if call.tool_name
        else hook_captures.clean_text(call.prompt or call.response)
    )
    captured = json.loads(hook_captures.build(call, text).body)
    assert captured["id"] in api.items
    assert api.items[captured["id"]]["content"] == captured["content"]


def test_ignore_lists_hold_for_transcripts(api, run, monkeypatch):
    monkeypatch.setenv("SUTURE_IGNORE_TOOLS", "Read")
    done = run("claude-code", "transcript.jsonl")
    assert "2 left out: excluded by your ignore lists." in done.output
    assert all("login.py" not in content for _, content in captures(api))
