"""Generators of clients take the OpenAPI document. What they make passes strict compilers, and records an event and
finds it. The commands and programs are those of docs/api-clients.md."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "api-clients.md").read_text(encoding="utf-8")
TEN_LINES = ROOT / "docs" / "typescript.md"
EXAMPLE = ROOT / "memory" / "api" / "examples" / "chunks_search.json"
TYPESCRIPT = ROOT / "clients" / "typescript"
#: No generator takes so long.
HANGS = 300
PROGRAM = """
import { recordAndSearch } from "./dist/record.js";
console.log((await recordAndSearch(process.env.SUTURE_URL, process.env.SUTURE_KEY)).join("\\n"));
"""


def blocks(language: str) -> list[str]:
    """The blocks of code in the page."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def command(name: str) -> list[str]:
    """A command of the page."""
    (line,) = (line for block in blocks("sh") for line in block.splitlines() if line.startswith(name))
    return shlex.split(line)


def why_no_npm() -> str:
    """Why the generators of TypeScript clients cannot run; empty if they can."""
    if not (shutil.which("npm") and shutil.which("node")):
        return "needs Node and npm"
    if not (TYPESCRIPT / "node_modules").exists():
        return "needs npm's packages: make setup"
    found = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(int(part) for part in found.strip("v\n").split(".")[:2])
    return "" if version >= (20, 19) else f"needs Node 20.19 or later; this is {found.strip()}"


needs_npm = pytest.mark.skipif(bool(why_no_npm()), reason=why_no_npm())


class Workshop:
    """A directory with the document, in which commands run."""

    def __init__(self, place: Path, document: dict[str, Any]) -> None:
        self.place = place
        self.write("suture.json", json.dumps(document))

    def write(self, name: str, text: str) -> None:
        (self.place / name).write_text(text, encoding="utf-8")

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command, which must succeed."""
        given = variables.pop("STDIN", "")
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            arguments,
            cwd=self.place,
            env={"PATH": path, "HOME": str(self.place), **variables},
            input=given,
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
        assert done.returncode == 0, f"{shlex.join(arguments)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done

    def check_types(self, *names: str) -> None:
        """Let mypy check these files, strictly."""
        self.write("mypy.ini", "[mypy]\nstrict = true\n")
        self.run(sys.executable, "-m", "mypy", *names)


@pytest.fixture
def workshop(tmp_path, document):
    return Workshop(tmp_path, document)


@pytest.fixture
def as_alice(world, live_server):
    """The address of a running server, and the key of an agent."""
    return {"SUTURE_URL": live_server.url, "SUTURE_KEY": world.keys["alice"]}


@pytest.mark.django_db(transaction=True)
def test_a_client_of_openapi_python_client_records_and_finds(workshop, as_alice):
    workshop.write("config.yaml", blocks("yaml")[0])
    workshop.write("record.py", blocks("python")[0])
    workshop.run(*command("openapi-python-client"), "--fail-on-warning")
    workshop.check_types("record.py", "suture_api")
    printed = workshop.run(sys.executable, "record.py", **as_alice).stdout
    assert [line.partition(" ")[2] for line in printed.splitlines()] == ["The invoice was sent twice"]


@pytest.mark.pure
@pytest.mark.slow
@pytest.mark.smoke
def test_models_of_datamodel_code_generator_read_answers(workshop):
    workshop.write("read.py", blocks("python")[1])
    workshop.run(*command("datamodel-codegen"))
    workshop.check_types("read.py", "suture_models.py")
    answer = json.loads(EXAMPLE.read_text(encoding="utf-8"))["answer"]
    printed = workshop.run(sys.executable, "read.py", STDIN=json.dumps(answer)).stdout
    assert printed.split("\n")[0] == f"{answer['chunks'][0]['chunk_id']} {answer['chunks'][0]['text']}"


@needs_npm
@pytest.mark.django_db(transaction=True)
def test_clients_in_typescript_record_and_find(workshop, as_alice):
    """Both generators at once, as `npm run generate` does, and the ten lines of docs/typescript.md: the strict compiler
    takes longer than all of them."""
    for name in ("package.json", "tsconfig.json", "memory.ts"):
        shutil.copy(TYPESCRIPT / name, workshop.place)
    (workshop.place / "node_modules").symlink_to(TYPESCRIPT / "node_modules")
    record, search = blocks("typescript")
    workshop.write("record.ts", record)
    workshop.write("search.ts", search)
    workshop.write("run.mjs", PROGRAM)
    (ten_lines,) = re.findall(r"```typescript\n(.*?)```", TEN_LINES.read_text(encoding="utf-8"), re.DOTALL)
    workshop.write("ten_lines.ts", ten_lines)
    workshop.run("npm", "run", "--silent", "generate", SUTURE_SCHEMA="suture.json")
    workshop.run("npx", "tsc", "--project", ".")
    assert workshop.run("node", "run.mjs", **as_alice).stdout == "The invoice was sent twice\n"
    (shown,) = re.findall(r"\n```\n(A.*?)```", TEN_LINES.read_text(encoding="utf-8"), re.DOTALL)
    assert workshop.run("node", "dist/ten_lines.js", **as_alice).stdout == shown
