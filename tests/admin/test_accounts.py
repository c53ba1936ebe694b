"""Logging in: strong passwords, a lockout, a second factor, sessions that end, and headers on every page."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from governance.identity import identities
from governance.models import Authenticator, User
from tests.admin.managing import entries

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

FACTOR = "/admin/second-factor/"


def log_in(name, password, **fields):
    client = Client()
    answer = client.post("/admin/login/", {"username": name, "password": password, "next": "/admin/", **fields})
    return client, answer


def code_of(name):
    device = Authenticator.objects.get(user__username=name)
    return f"{TOTP(device.bin_key, device.step, device.t0, device.digits).token():06d}"


def set_up(desk, name, at):
    """Switch the second factor on; answers the recovery codes."""
    client = desk(name).client
    client.post(FACTOR, {"act": "begin"})
    page = client.post(FACTOR, {"act": "confirm", "code": code_of(name)})
    at.shift(60)  # a code is good once
    return page.context["codes"]


@pytest.fixture
def clock():
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


@pytest.mark.parametrize("password", ["short-one", "password1234567890"[:11], "123456789012345", "q1w2e3r4t5y6"])
def test_weak_passwords_are_refused(db, password):
    with pytest.raises(ValidationError):
        validate_password(password)
    validate_password("a long and odd sentence")


def test_five_wrong_passwords_lock_the_name_out_for_a_while(world, clock):
    for _ in range(4):
        assert log_in(world.bob_name, "wrong")[1].status_code == 200
    _, answer = log_in(world.bob_name, "wrong")
    assert answer.status_code == 429
    assert "Too many wrong passwords" in answer.content.decode()
    assert log_in(world.bob_name, world.passwords["bob"])[1].status_code == 429
    assert log_in(world.ann_name, world.passwords["ann"])[1].status_code == 302
    clock.shift(timedelta(minutes=16))
    assert log_in(world.bob_name, world.passwords["bob"])[1].status_code == 302


def test_a_right_password_forgets_the_wrong_ones(world):
    for _ in range(3):
        for _ in range(4):
            log_in(world.bob_name, "wrong")
        assert log_in(world.bob_name, world.passwords["bob"])[1].status_code == 302


def test_a_second_factor_is_set_up_with_a_code_and_then_asked_for(world, desk, clock):
    name, password = world.bob_name, world.passwords["bob"]
    client = desk(name).client
    assert "is off" in client.get(FACTOR).content.decode()
    assert not TOTPDevice.objects.filter(user__username=name).exists(), "looking changed something"
    client.post(FACTOR, {"act": "begin"})
    assert "<svg" in client.get(FACTOR).content.decode()
    assert client.post(FACTOR, {"act": "confirm", "code": "000000"}).status_code == 400
    assert log_in(name, password)[1].status_code == 302, "an unconfirmed factor asks for nothing"
    clock.shift(60)
    page = client.post(FACTOR, {"act": "confirm", "code": code_of(name)})
    assert len(page.context["codes"]) == 10
    assert "is on" in page.content.decode()

    assert "Enter a code" in log_in(name, password)[1].content.decode()
    assert log_in(name, password, code="123456")[1].status_code == 200
    clock.shift(120)
    code = code_of(name)
    assert log_in(name, password, code=code)[1].status_code == 302
    assert log_in(name, password, code=code)[1].status_code == 200, "a code was good twice"


def test_a_recovery_code_logs_in_once(world, desk, clock):
    codes = set_up(desk, world.bob_name, clock)
    assert log_in(world.bob_name, world.passwords["bob"], code=codes[0])[1].status_code == 302
    assert log_in(world.bob_name, world.passwords["bob"], code=codes[0])[1].status_code == 200
    assert "9 recovery codes left" in desk(world.bob_name).client.get(FACTOR).content.decode()


def test_a_factor_is_changed_only_with_a_code(world, desk, clock):
    old = set_up(desk, world.bob_name, clock)
    client = desk(world.bob_name).client
    for act in ("off", "renew", "confirm", "nonsense"):
        assert client.post(FACTOR, {"act": act, "code": "rffffffffff"}).status_code == 400
    clock.shift(600)
    client.post(FACTOR, {"act": "begin"})
    assert TOTPDevice.objects.filter(user__username=world.bob_name).count() == 1
    new = client.post(FACTOR, {"act": "renew", "code": code_of(world.bob_name)}).context["codes"]
    assert not set(new) & set(old)
    assert client.post(FACTOR, {"act": "off", "code": new[0]}).status_code == 302
    assert log_in(world.bob_name, world.passwords["bob"])[1].status_code == 302


def test_the_ledger_of_each_tenant_says_that_it_was_switched_on_and_off(world, elsewhere, desk, clock):
    identities.provision(elsewhere.slug, people=[(world.bob_name, "auditor")])
    first, *_ = set_up(desk, world.bob_name, clock)
    client = desk(world.bob_name).client
    assert client.post(FACTOR, {"act": "off", "code": first}).status_code == 302
    bob = User.objects.get(username=world.bob_name)
    named = {"user": str(bob.id), "name": bob.username}
    for tenant in (world, elsewhere):
        for type in ("person.second_factor_on", "person.second_factor_off"):
            (entry,) = entries(tenant, type)
            assert entry == {**named, "actor": {"kind": "human", "id": str(bob.id), "name": bob.username}}


def test_anothers_code_does_not_open(world, desk, clock):
    set_up(desk, world.bob_name, clock)
    set_up(desk, world.ann_name, clock)
    assert log_in(world.bob_name, world.passwords["bob"], code=code_of(world.ann_name))[1].status_code == 200


def test_a_session_ends_when_idle_and_after_its_hours(world, clock):
    client, _ = log_in(world.bob_name, world.passwords["bob"])
    for _ in range(12):
        clock.shift(timedelta(minutes=50))
        assert client.get("/admin/").status_code == 200, "in use it goes on"
    clock.shift(timedelta(minutes=61))
    assert client.get("/admin/").status_code == 302, "idle it ends"

    client, _ = log_in(world.bob_name, world.passwords["bob"])
    client.get("/admin/")
    for _ in range(14):
        clock.shift(timedelta(minutes=50))
        client.get("/admin/")
    clock.shift(timedelta(minutes=30))
    assert client.get("/admin/").headers["Location"].startswith("/admin/login/"), "twelve hours are all"
    assert User.objects.filter(username=world.bob_name, is_active=True).exists()


def test_every_page_carries_its_headers(world, desk):
    page = desk(world.bob_name).client.get("/admin/")
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self'" in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers["X-Frame-Options"] == "DENY"
    assert page.headers["Referrer-Policy"] == "same-origin"
    assert "/static/governance/favicon.svg" in page.content.decode()
