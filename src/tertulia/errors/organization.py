"""What administrators arrange for everybody."""

from typing import Any, ClassVar

from tertulia.errors import ClientError


class InvalidForm(ClientError):
    """Compat: clients show what stands under `errors`, by the field that is wrong."""

    wrong: ClassVar[str] = "__all__"

    def extra(self) -> dict[str, Any]:
        return {"errors": {self.wrong: [self.msg]}}


class BadPattern(InvalidForm):
    message = "Bad regular expression: {problem}"


class BadUrlTemplate(InvalidForm):
    message = "Invalid URL template."


class GroupMissingInPattern(InvalidForm):
    message = "Group '{name}' in URL template is not present in linkifier pattern."


class GroupMissingInTemplate(InvalidForm):
    message = "Group '{name}' in linkifier pattern is not present in URL template."


class DuplicateLinkifier(InvalidForm):
    message = "Realm filter with this Realm and Pattern already exists."


class BlankName(InvalidForm):
    message = "This field cannot be blank."
    wrong = "name"


class BlankLanguage(InvalidForm):
    message = "This field cannot be blank."
    wrong = "pygments_language"


class BadPlaygroundTemplate(InvalidForm):
    message = "Invalid URL template."
    wrong = "url_template"


class CodeMissingInTemplate(InvalidForm):
    message = 'Missing the required variable "code" in the URL template'


class DuplicatePlayground(InvalidForm):
    message = "Realm playground with this Realm, Pygments language and Name already exists."
