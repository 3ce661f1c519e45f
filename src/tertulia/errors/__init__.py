"""The mistakes we report to a client, by subject.

An error is raised where the truth is known, in `domain` and `actions`, and turned into JSON in
one place, `http/replies.py`. The words are part of the API: clients compare them. What has a code
or keys of its own, or is raised in several places, is a class here; a refusal that is said in one
place only is a `BadRequest` with its words right there.
"""

from tertulia.errors.client_error import BadRequest, ClientError, StartupError

__all__ = ["BadRequest", "ClientError", "StartupError"]
