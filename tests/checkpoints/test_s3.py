"""Checkpoints in a bucket: against a local server that speaks S3."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.config import Config  # type: ignore[import-untyped]
from django.conf import settings
from django.test import override_settings
from moto.server import ThreadedMotoServer

from memory.checkpoints import removing, storage, sweeping
from memory_project import environment
from tests.checkpoints.sessions import STATE, refused

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

BUCKET = "states"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """The address of a server that speaks S3."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def client(endpoint):
    """The bucket, as its owner sees it."""
    made = boto3.client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
        region_name="us-east-1",
        config=Config(connect_timeout=2, read_timeout=5),
    )
    with suppress(made.exceptions.BucketAlreadyOwnedByYou):
        made.create_bucket(Bucket=BUCKET)
    yield made
    for one in made.list_objects_v2(Bucket=BUCKET).get("Contents", ()):
        made.delete_object(Bucket=BUCKET, Key=one["Key"])
    made.close()


@pytest.fixture(autouse=True)
def bucket(root, endpoint, client, monkeypatch) -> Iterator[None]:
    """Checkpoints are in the bucket, as the environment says."""
    for name, value in (
        ("STORAGE", "s3"),
        ("S3_BUCKET", BUCKET),
        ("S3_ENDPOINT", endpoint),
        ("S3_REGION", "us-east-1"),
        ("S3_PREFIX", "of/suture"),
        ("S3_ACCESS_KEY", "testing"),
        ("S3_SECRET_KEY", "testing"),
    ):
        monkeypatch.setenv(f"CHECKPOINT_{name}", value)
    store = environment.checkpoint_storage(str(root))
    with override_settings(STORAGES={**settings.STORAGES, "checkpoints": store}):
        yield


def keys(client):
    return [one["Key"] for one in client.list_objects_v2(Bucket=BUCKET).get("Contents", ())]


def test_it_works(session, client, root):
    made = session.checkpoint(turn=3)
    assert keys(client) == [f"of/suture/{made['path']}"]
    assert not root.exists()
    assert session.restore(made["id"])["state"] == {**STATE, "depth": 0, "format_version": "1.0"}


def test_what_is_removed_is_deleted_from_the_bucket(session, client):
    session.turn(0)
    session.ok("put", "", {"keep": 1})
    made = [session.checkpoint() for _ in range(3)]
    assert removing.prune() == 2
    assert removing.delete_files() == 2
    assert keys(client) == [f"of/suture/{made[2]['path']}"]


def test_another_object_is_refused(session, client, world):
    made = session.checkpoint()
    client.put_object(Bucket=BUCKET, Key=f"of/suture/{made['path']}", Body=b"x" * made["stored_size"])
    refused(world.alice.post(f"checkpoints/{made['id']}/restore", {}), 409, "checkpoint-damaged")
    client.delete_object(Bucket=BUCKET, Key=f"of/suture/{made['path']}")
    refused(world.alice.post(f"checkpoints/{made['id']}/restore", {}), 409, "checkpoint-damaged")


def test_the_sweeper_looks_into_the_bucket(session, client, world, settings):
    made = session.checkpoint()
    orphan = f"{made['path'].rpartition('/')[0]}/0f0e0d0c-0000-7000-8000-000000000000.json.zst"
    client.put_object(Bucket=BUCKET, Key=f"of/suture/{orphan}", Body=b"left over")
    found = sweeping.sweep(world.tenant_id)
    assert (found.orphans, found.deleted, found.missing) == ([orphan], [], [])
    settings.CHECKPOINT_GRACE_SECONDS = -5
    assert sweeping.sweep(world.tenant_id).deleted == [orphan]
    assert keys(client) == [f"of/suture/{made['path']}"]
    assert sweeping.verify(world.tenant_id) == []
    client.delete_object(Bucket=BUCKET, Key=f"of/suture/{made['path']}")
    assert sweeping.sweep(world.tenant_id).missing == [made["path"]]


def test_a_service_that_is_away_is_said_so(session, client, world, monkeypatch):
    made = session.checkpoint()
    monkeypatch.setenv("CHECKPOINT_S3_BUCKET", "nowhere")
    store = environment.checkpoint_storage("")
    with override_settings(STORAGES={**settings.STORAGES, "checkpoints": store}):
        answer = session.ask("post", "/checkpoints", STATE)
        refused(answer, 503, "checkpoint-store-failed")
        assert answer.headers["Retry-After"]
    assert [one["id"] for one in session.listed()] == [made["id"]]
    assert storage.checkpoint_of(made["path"]) is not None


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"CHECKPOINT_STORAGE": "s3", "CHECKPOINT_S3_BUCKET": ""}, "CHECKPOINT_S3_BUCKET"),
        ({"CHECKPOINT_STORAGE": "tape"}, "CHECKPOINT_STORAGE must be one of"),
    ],
)
def test_a_wrong_setting_stops_the_start(variables, said):
    loaded = subprocess.run(
        [sys.executable, "-c", "import memory_project.settings"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert loaded.returncode == 1
    assert said in loaded.stderr
    assert "Traceback" not in loaded.stderr
