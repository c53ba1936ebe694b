"""The one table that holds words."""

from django.db import models

from governance.models.tenancy import AppendOnlyModel


class Content(AppendOnlyModel):
    """Every remembered or proposed text: event bodies, statements, amended texts.

    Nothing references it by foreign key, or it could not be erased. The web's role cannot select from it: words
    come out of the gate functions only. `sha256` is over salt and body, so that the hash which stays behind after
    an erasure cannot be tried against guesses.
    """

    salt = models.BinaryField(max_length=16)
    body = models.TextField()
    sha256 = models.BinaryField(max_length=32)

    class Meta(AppendOnlyModel.Meta):
        pass
