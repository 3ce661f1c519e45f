"""Organization administration."""

from tertulia.errors import BadRequest


class InvalidForm(BadRequest):
    """Compat: clients show the messages in `errors`, by field."""

    def __init__(self, msg: str, field: str = "__all__") -> None:
        super().__init__(msg, errors={field: [msg]})


class BadUrlTemplate(InvalidForm):
    def __init__(self, field: str = "__all__") -> None:
        super().__init__("Invalid URL template.", field)
