"""When two texts say the same."""

import pytest

from memory.duplicates import likeness


@pytest.mark.pure
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The refund limit is £250.", "the refund limit is £250!"),
        ("The  refund limit\nis £250", "“The refund limit is £250”"),
        ("We recieved the shipment on Monday", "We received the shipment on Monday"),
        ("He is definately coming tomorrow", "He is definitely coming tomorrow"),
        ("返金の上限は二百五十ポンドだと言われた。", "返金の上限は二百五十ポンドだと言われた"),
    ],
)
def test_punctuation_case_and_one_misspelled_word_do_not_count(first, second):
    assert likeness(first, second)
    assert likeness(second, first) == likeness(first, second)


@pytest.mark.pure
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The refund limit is £250 today", "The refund limit is £2,500 today"),
        ("The refund is paid before delivery", "The refund is paid after delivery"),
        ("Ben owes Ada some money", "Ada owes Ben some money"),
        ("She approved the request today", "She disapproved the request today"),
        ("It is not possible today", "It is now possible today"),
        ("I talked to Johnson about it", "I talked to Johnston about it"),
        ("I met Kristen at the fair", "I met Kirsten at the fair"),
        ("The price is 10 to 20", "The price is 10 - 20"),
        ("please include the report here", "please exclude the report here"),
        ("We recieved the shipmant on Monday", "We received the shipment on Monday"),
        ("Thank you very", "Thank you very"),
        ("yes", "yes"),
        ("", ""),
    ],
)
def test_what_says_something_else_or_nearly_nothing_is_no_duplicate(first, second):
    assert likeness(first, second) is None
