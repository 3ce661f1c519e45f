"""The profile fields of an organization, and what its users have filled in."""

from tertulia.caches.encoded_records import EncodedRecords
from tertulia.domain.people.profile_fields import ProfileField
from tertulia.storage.people.profile_fields import Values


class Profiles:
    def __init__(self, encoded: EncodedRecords) -> None:
        self.fields: dict[int, ProfileField] = {}  # in their order
        self.by_user: dict[int, Values] = {}
        self._encoded = encoded

    def set_fields(self, fields: list[ProfileField]) -> None:
        """All fields in their order. Values of deleted fields are dropped."""
        self.fields = {field.id: field for field in fields}
        for user_id, values in list(self.by_user.items()):
            if not values.keys() <= self.fields.keys():
                self.set_values(user_id, values)

    def set_values(self, user_id: int, values: Values) -> None:
        self._encoded.drop_user(user_id)
        existing = {number: value for number, value in values.items() if number in self.fields}
        if existing:
            self.by_user[user_id] = existing
        else:
            self.by_user.pop(user_id, None)
