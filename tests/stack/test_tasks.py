"""Periodic tasks with a real worker and broker: late runs do not pile up, and a busy worker keeps beating."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import redis
from celery import Celery
from celery.schedules import crontab
from django.conf import settings

from memory_project.beat import LOCK, SENT, SingletonScheduler
from memory_project.celery import app
from memory_project.stack import application
from memory_project.stack.valkey import EmbeddedValkey
from memory_project.tasks import HEARTBEAT_KEY

from .running import HANGS, ROOT, eventually

pytestmark = pytest.mark.stack

#: A database of the broker that nothing else uses.
NUMBER = 7


@pytest.fixture
def broker() -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(_url(), decode_responses=True) as client:
        client.flushdb()
        yield client
        client.flushdb()


@pytest.fixture
def sender(broker: "redis.Redis") -> Celery:
    """Sends tasks as beat does, with its options and routes."""
    made = Celery("sender", broker=_url())
    made.conf.task_routes = settings.CELERY_TASK_ROUTES
    made.conf.task_ignore_result = True
    return made


def _url() -> str:
    return f"{settings.REDIS_URL.rpartition('/')[0]}/{NUMBER}"


@contextmanager
def worker(home: Path, broker: "redis.Redis", processes: int, url: str = "") -> Iterator[int]:
    """The stack's worker with so many processes, from its first heartbeat on; the block gets its process id."""
    home.mkdir(mode=0o755)
    command = application.worker_command()
    command[command.index("memory_project")] = "tests.stack.tasks_of_tests"
    command[command.index("--concurrency") + 1] = str(processes)
    variables = {**os.environ, "REDIS_URL": url or _url(), "SUTURE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    variables.pop("PROMETHEUS_MULTIPROC_DIR", None)
    with (home / "worker.log").open("w") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=log, stderr=log)
        try:
            eventually(lambda: broker.exists(HEARTBEAT_KEY) == 1 or process.poll() is not None)
            assert process.poll() is None, (home / "worker.log").read_text()
            yield process.pid
        finally:
            process.send_signal(signal.SIGQUIT)  # which does not wait for what runs
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def ran(broker: "redis.Redis") -> list[str]:
    found = broker.lrange("ran", 0, -1)
    return list(found)  # type: ignore[arg-type] # not awaited


def send_as_beat(sender: Celery, name: str) -> None:
    entry = settings.CELERY_BEAT_SCHEDULE[name]
    sender.send_task(entry["task"], **entry["options"])


def test_a_busy_worker_keeps_beating(home: Path, broker: "redis.Redis", sender: Celery) -> None:
    with worker(home, broker, processes=1):
        for _ in range(3):
            sender.send_task("tests.work", [HANGS])
        eventually(lambda: ran(broker) == ["work"])
        for _ in range(2):
            broker.delete(HEARTBEAT_KEY)
            send_as_beat(sender, "worker-heartbeat")
            eventually(lambda: broker.exists(HEARTBEAT_KEY) == 1, seconds=20)
        assert ran(broker) == ["work"]
        assert broker.llen("heartbeat") == 0


def test_a_worker_is_ready_when_it_has_said_so_itself(home: Path, broker: "redis.Redis") -> None:
    with worker(home, broker, processes=1) as pid:
        eventually(lambda: application.is_ready(pid, _url()))
        assert broker.exists(HEARTBEAT_KEY)
        assert not application.is_ready(os.getpid(), _url())


def test_runs_that_came_while_no_worker_ran_are_dropped(home: Path, broker: "redis.Redis", sender: Celery) -> None:
    for _ in range(200):
        sender.send_task("tests.work", [HANGS], expires=0.1)
        sender.send_task("memory_project.tasks.beat_heart", expires=0.1)
    time.sleep(0.2)
    with worker(home, broker, processes=1):
        sender.send_task("tests.work", [0], expires=60)
        eventually(lambda: broker.llen("celery") == broker.llen("heartbeat") == 0 and len(ran(broker)) > 0)
        assert ran(broker) == ["work"]


def test_a_task_that_still_runs_is_not_started_again(home: Path, broker: "redis.Redis", sender: Celery) -> None:
    with worker(home, broker, processes=2):
        sender.send_task("tests.long", [HANGS])
        eventually(lambda: ran(broker) == ["long"])
        for _ in range(5):
            sender.send_task("tests.long", [HANGS])
        # the other process did not take one of them up for long: it is free for this
        sender.send_task("tests.work", [0])
        eventually(lambda: "work" in ran(broker))
        assert ran(broker) == ["long", "work"]


@pytest.mark.parametrize("name", settings.CELERY_BEAT_SCHEDULE)
def test_a_run_that_is_late_is_dropped(name: str) -> None:
    """At the latest when the next one is due, so that there is never more than one that waits."""
    entry = settings.CELERY_BEAT_SCHEDULE[name]
    schedule, expires = entry["schedule"], entry["options"]["expires"]
    if isinstance(schedule, crontab):
        hours: set[int] = vars(schedule)["hour"]
        assert 0.9 * 24 / len(hours) <= expires / 3600 <= 24 / len(hours)
    else:
        assert expires == schedule


def test_heartbeats_have_a_queue_of_their_own() -> None:
    def routed(name: str) -> str:
        return str(app.amqp.router.route({}, name)["queue"].name)

    tasks = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert {name: routed(name) for name in tasks} == {
        name: "heartbeat" if name == "memory_project.tasks.beat_heart" else "celery" for name in tasks
    }
    assert sys.executable == application.worker_command()[0]


@contextmanager
def beat(name: str) -> Iterator[subprocess.Popen[bytes]]:
    """The stack's beat, which writes to the file."""
    variables = {**os.environ, "REDIS_URL": _url(), "LOG_LEVEL": "INFO"}
    with open(name, "wb") as log:
        process = subprocess.Popen(application.beat_command(), cwd=ROOT, env=variables, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_of_two_beats_one_sends_and_the_other_takes_over(tmp_path: Path, broker: "redis.Redis") -> None:
    first_log, second_log = tmp_path / "first", tmp_path / "second"
    with beat(str(first_log)) as first:
        eventually(lambda: "this beat sends the jobs" in first_log.read_text())
        with beat(str(second_log)):
            eventually(lambda: "another beat sends the jobs" in second_log.read_text())
            sent = broker.hget(SENT, "embed")
            eventually(lambda: broker.hget(SENT, "embed") != sent)
            assert "this beat" not in second_log.read_text()
            first.kill()
            first.wait()
            eventually(lambda: "this beat sends the jobs" in second_log.read_text())
            sent = broker.hget(SENT, "embed")
            eventually(lambda: broker.hget(SENT, "embed") != sent)


def test_a_beat_that_is_stopped_gives_the_lock_back(tmp_path: Path, broker: "redis.Redis") -> None:
    log = tmp_path / "log"
    with beat(str(log)) as process:
        eventually(lambda: broker.exists(LOCK) == 1)
        process.terminate()
        process.wait(HANGS)
        assert broker.exists(LOCK) == 0


def test_a_beat_goes_on_where_another_ended(broker: "redis.Redis", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "REDIS_URL", _url())
    broker.hset(SENT, "verify", (app.now() - timedelta(days=2)).isoformat())
    broker.hset(SENT, "decay-confidence", app.now().isoformat())
    broker.hset(SENT, "gone", app.now().isoformat())
    scheduler = SingletonScheduler(app)
    assert scheduler._is_ours()
    due = {name: scheduler.schedule[name].is_due()[0] for name in ("verify", "decay-confidence")}
    scheduler.close()
    assert due == {"verify": True, "decay-confidence": False}


@pytest.mark.parametrize("busy", [False, True])
def test_a_worker_comes_back_after_an_outage_of_the_broker(home: Path, busy: bool) -> None:
    home.mkdir(mode=0o755)
    (home / "log").mkdir()
    valkey = EmbeddedValkey(home)
    valkey.start()
    try:
        with (
            redis.Redis.from_url(valkey.url, decode_responses=True) as broker,
            worker(home.parent / "of the worker", broker, processes=1, url=valkey.url),
        ):
            made = Celery("sender", broker=valkey.url)
            made.conf.task_routes = settings.CELERY_TASK_ROUTES
            made.conf.task_ignore_result = True
            if busy:
                made.send_task("tests.work", [HANGS])
                eventually(lambda: ran(broker) == ["work"])
            assert valkey.process is not None
            valkey.process.kill()
            valkey.process.wait()
            log = home.parent / "of the worker" / "worker.log"
            eventually(lambda: "Cannot connect" in log.read_text())
            valkey.start()
            broker.delete(HEARTBEAT_KEY)
            made.send_task("memory_project.tasks.beat_heart")
            eventually(lambda: broker.exists(HEARTBEAT_KEY) == 1)
            assert "NoneType" not in log.read_text()
    finally:
        valkey.stop()
