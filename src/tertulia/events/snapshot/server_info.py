"""Where the server stands, as far as a snapshot tells of it."""

import msgspec


class Surroundings(msgspec.Struct, frozen=True):
    url: str  # the organization's address, without a slash at the end
    started_at: int
    web_public_enabled: bool
    max_upload_mib: int
    upload_quota_mib: int  # 0 is none
    login_methods: tuple[str, ...] = ("Email",)  # those that the server offers
    sends_mail: bool = False
    pushes: bool = False  # to phones
    call_providers: tuple[int, ...] = (0, 1)
