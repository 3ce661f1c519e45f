"""Every error that the server reports to a client, by subject.

An error is raised where the cause is known, in `domain` and `actions`, and converted to JSON in one
place, `http/replies.py`. The texts are part of the API: clients compare them. An error with its own
code or keys, or that is raised in several places, is a class here; an error of one place is a
`BadRequest` there. `problem` is what clients know an error by: the page finds its text,
`error.PROBLEM` in the catalogue.
"""

from tertulia.errors.client_error import BadRequest, ClientError, StartupError, WordedError

__all__ = ["BadRequest", "ClientError", "StartupError", "WordedError"]
