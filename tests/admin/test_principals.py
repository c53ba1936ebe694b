"""The desk shows who reads a record, and what a principal reads, has received and is related to."""

import pytest
from django.urls import reverse

from memory.usage import deliveries
from tests.audiences.conftest import ADA, BO, FOR_ADA, clinic_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

ABOUT_ADA = {"subject_type": "patient", "subject_id": "ada"}


@pytest.fixture
def review(world, desk):
    return desk(world.bob_name).client


def text_of(answer):
    assert answer.status_code == 200, answer.content
    return " ".join(answer.content.decode().split())


def test_the_page_of_a_chunk_names_its_readers(world, review):
    clinic = clinic_of(world)
    (chunk,) = clinic.record("The zebra has measles", FOR_ADA)["chunk_ids"]
    shown = text_of(review.get(reverse("admin:memory_effectivechunk_change", args=[chunk])))
    assert "Who reads it" in shown
    assert f'principal=patient%3Aada">{ADA}</a> (for {ADA})' in shown
    (other,) = clinic.record("For all")["chunk_ids"]
    assert "everyone who may read its channel" in text_of(
        review.get(reverse("admin:memory_effectivechunk_change", args=[other]))
    )


def test_the_page_of_a_principal_says_what_it_reads_and_why_not(world, review):
    clinic = clinic_of(world)
    clinic.relate(BO, "family_of", ADA)
    clinic.record("For ada alone", FOR_ADA, **ABOUT_ADA)
    clinic.record("For the family", {"relations": ["family_of"]}, **ABOUT_ADA)
    clinic.heard("post", "chunks/search", {"query": "family"}, by=BO)
    deliveries.record_deliveries()
    page = reverse("admin:memory_principal")
    shown = text_of(review.get(page, {"principal": BO, **ABOUT_ADA}))
    assert "For ada alone" in shown
    assert "outside the audience" in shown
    assert "patient:ada#family_of" in shown
    assert "<td>family_of</td>" in shown
    assert "<td>search</td>" in shown
    assert "Nothing." in text_of(review.get(page, {"principal": ADA}))


@pytest.mark.parametrize("given", [{"principal": "bo"}, {"principal": BO, "subject_type": "patient"}])
def test_a_bad_question_is_answered_at_its_field(world, review, given):
    assert 'role="alert"' in text_of(review.get(reverse("admin:memory_principal"), given))
