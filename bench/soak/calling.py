"""The load of a soak: users that call the API, coding agents that run hooks, and files that change."""

import asyncio
import json
import os
import random
import sys
import time
import uuid
from collections import Counter, defaultdict
from pathlib import Path

from bench.corpus import Corpus
from bench.gates import percentiles
from bench.load import Connection
from bench.report import Rows
from bench.soak.users import USERS, Tenant, User

#: The path that `suture install-hooks` writes into the settings of a coding agent.
SUTURE = Path(sys.executable).with_name("suture")
#: Seconds between two calls of a user, between two hooks, and between two changes of a file; and the number of files.
PAUSE, HOOK_PAUSE, FILE_PAUSE, FILES = (0.5, 2.0), (5.0, 10.0), 15.0, 20


class Load:
    """The load on a port for some seconds, with its results."""

    def __init__(self, port: int, seconds: float) -> None:
        self._port, self._until = port, time.monotonic() + seconds
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.failures: Counter[str] = Counter()

    def is_over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._until

    async def run(self, tenants: list[Tenant], watched: Path, state: Path) -> None:
        """Start all of them, and wait until they end."""
        users = [(tenant, tenant.keys[key], user) for tenant in tenants for user, key in USERS]
        await asyncio.gather(
            *(self._use(key, user(tenant)) for tenant, key, user in users),
            *(self._work(tenant, state) for tenant in tenants),
            self._change_files(watched),
        )

    async def _use(self, key: str, user: User) -> None:
        connection = Connection(self._port, key)
        call = next(user)
        while not self.is_over():
            await asyncio.sleep(random.uniform(*PAUSE))
            try:
                answer = await connection.ask((call.method, call.path, call.body))
            except (OSError, EOFError) as error:  # a timeout is an OSError
                self.failures[f"{call.name}: {type(error).__name__}"] += 1
                connection = Connection(self._port, key)
                continue
            self.seconds[call.name].append(answer.seconds)
            if not answer.is_done and answer.status not in call.allowed:
                self.failures[f"{call.name}: {answer}"] += 1
            call = user.send(answer.json() if answer.is_done else {})
        connection.close()

    async def _work(self, tenant: Tenant, state: Path) -> None:
        """Run hooks as a coding agent does: each is a separate process."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("SUTURE_")}
        own |= {"SUTURE_URL": f"http://127.0.0.1:{self._port}", "SUTURE_KEY": tenant.keys["writer"]}
        own |= {"SUTURE_STATE_DIR": str(state)}
        while not self.is_over():
            await asyncio.sleep(random.uniform(*HOOK_PAUSE))
            payload = {
                "session_id": f"soak-{uuid.uuid4().hex[:1]}",
                "cwd": str(state),
                "hook_event_name": "PostToolUse",
                "tool_name": "Bash",
                "tool_use_id": f"toolu_{uuid.uuid4().hex}",
                "tool_input": {"command": "make test", "description": tenant.corpus.text()[:200]},
                "tool_response": {"stdout": tenant.corpus.text(), "stderr": ""},
            }
            began = time.perf_counter()
            pipe = asyncio.subprocess.PIPE
            hook = await asyncio.create_subprocess_exec(SUTURE, "hook", env=own, stdin=pipe, stdout=pipe, stderr=pipe)
            _, complaint = await hook.communicate(json.dumps(payload).encode())
            self.seconds["hook"].append(time.perf_counter() - began)
            if hook.returncode:
                self.failures[f"hook: {complaint.decode(errors='replace')}"] += 1

    async def _change_files(self, directory: Path) -> None:
        """Write files into the watched directory, and occasionally change or delete one."""
        corpus, number = Corpus("files"), 0
        while not self.is_over():
            file = directory / f"{number if number < FILES else random.randrange(FILES)}.md"
            if file.exists() and random.random() < 0.1:
                file.unlink()
            else:
                file.write_text(f"# {file.stem}\n\n" + "\n\n".join(f"{corpus.text()}." for _ in range(30)))
            number += 1
            if number >= FILES:
                await asyncio.sleep(min(FILE_PAUSE, max(0.0, self._until - time.monotonic())))

    def rows(self) -> Rows:
        """A row for each kind of request."""
        return [{"request": name, **percentiles(taken)} for name, taken in sorted(self.seconds.items())]
