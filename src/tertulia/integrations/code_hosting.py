"""What GitHub, GitLab, Gitea and Bitbucket have in common: pushes, pull requests,
issues, releases."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from tertulia.integrations.payload import Payload
from tertulia.integrations.phrases import (
    ZEROS,
    bullets,
    code,
    count,
    line,
    link,
    name_list,
    with_quote,
)
from tertulia.integrations.webhook_message import UnexpectedPayload

MAX_COMMITS = 20

TopicAndText = tuple[str, str]  # a topic and a text
Formatter = Callable[[Payload], TopicAndText | None]


class Commit(msgspec.Struct, frozen=True):
    id: str
    message: str
    address: str
    author: str


class Push(msgspec.Struct, frozen=True):
    repository: str
    who: str
    ref: str
    commits: Sequence[Commit]
    before: str = ""
    after: str = ""
    compare: str = ""
    is_forced: bool = False
    commit_total: Any = None  # number of commits; the sender may list only some of them

    @property
    def total(self) -> int:
        listed = len(self.commits)
        return max(listed, self.commit_total) if isinstance(self.commit_total, int) else listed


class PullRequestOrIssue(msgspec.Struct, frozen=True):
    """A pull request, an issue or a discussion."""

    kind: str
    number: str
    title: str
    address: str = ""

    def topic(self, repository: str) -> str:
        """`tertulia / PR #7 Mend the roof`"""
        return f"{line(repository)} / {self.kind} #{self.number} {line(self.title)}".rstrip()

    def link(self) -> str:
        return link(f"{self.kind} #{self.number} {self.title}".rstrip(), self.address)


def branch_of(ref: str) -> str:
    return ref.removeprefix("refs/heads/").removeprefix("refs/tags/")


def is_zero_sha(commit_id: str) -> bool:
    """`0000…` means that the branch does not exist."""
    return bool(ZEROS.fullmatch(commit_id))


def push_topic(repository: str, ref: str) -> str:
    return f"{line(repository)} / {line(branch_of(ref))}"


def push_message(push: Push) -> TopicAndText:
    return push_topic(push.repository, push.ref), push_text(push)


def push_text(push: Push) -> str:
    """Who pushed how many commits to which branch, and the commits."""
    who, where = line(push.who), branch_of(push.ref)
    if push.ref.startswith("refs/tags/"):
        verb = "removed" if is_zero_sha(push.after) else "pushed"
        return f"{who} {verb} tag {code(where)}."
    if push.after and is_zero_sha(push.after):
        return f"{who} deleted the branch {code(where)}."
    verb = "force pushed" if push.is_forced else "pushed"
    is_new = bool(push.before) and is_zero_sha(push.before)
    branch = f"{'new branch' if is_new else 'branch'} {code(where)}"
    if not push.total:
        return f"{who} {verb} {branch}."
    number = link(count(push.total, "commit"), push.compare)
    authors = name_list([line(each.author) for each in push.commits])
    by = f" by {authors}" if authors and authors != who else ""
    listed = [_commit(each) for each in push.commits[:MAX_COMMITS]]
    if push.total > len(listed):
        listed.append(f"and {count(push.total - len(listed), 'other')}")
    return f"{who} {verb} {number}{by} to {branch}.\n\n{bullets(listed)}"


def request_text(
    who: str,
    verb: str,
    about: PullRequestOrIssue,
    words: str = "",
    branches: tuple[str, str] | None = None,
) -> str:
    """`ana opened [PR #7 Mend the roof](…) from `roof` to `main`:` and the description."""
    branch_names = ""
    if branches is not None and all(branches):
        branch_names = f" from {code(branches[0])} to {code(branches[1])}"
    return with_quote(f"{line(who)} {verb} {about.link()}{branch_names}", words)


def _commit(commit: Commit) -> str:
    if not commit.id:
        raise UnexpectedPayload("commits.id")
    first = commit.message.strip().partition("\n")[0]
    return f"{line(first) or 'no message'} ({link(commit.id[:11], commit.address)})"
