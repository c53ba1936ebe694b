"""What tests of managing a tenant share: the admin's browser, and what is asked of pages, rows and entries."""

import re

from governance.identity import identities
from governance.models import Entry

AT = "/admin/governance/"


def admin_of(world, desk, name="root"):
    identities.provision(world.slug, people=[(f"{name}-{world.slug}", "admin")])
    return desk(f"{name}-{world.slug}").client


def row_of(world, model, **fields):
    with world.inside():
        return model.objects.get(**fields)


def row_count(world, model):
    with world.inside():
        return model.objects.count()


def entries(world, type):
    with world.inside():
        return [entry.metadata for entry in Entry.objects.filter(type=type).order_by("id")]


def acts_on(client, page):
    return [act.name for act, _ in client.get(page).context["acts"]]


def key_on(answer):
    assert answer.status_code == 200
    (key,) = re.findall(r"sut_[\w-]+", answer.content.decode())
    return key


def password_on(answer):
    assert answer.status_code == 200, answer.content.decode()
    (password,) = re.findall(r'<p class="words"><code>([\w-]+)</code>', answer.content.decode())
    return password
