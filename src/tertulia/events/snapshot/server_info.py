"""Facts about the server that the snapshot contains."""

from typing import Annotated, Any

import msgspec

from tertulia.wire import Doc


class StatePart(msgspec.Struct):
    """Keys that `POST /register` returns together. A field whose value never changes is a default.

    The API description has the fields of all subclasses.
    """


class IncomingWebhookService(msgspec.Struct):
    name: Annotated[str, Doc("The name of the service, for programs.")]
    display_name: Annotated[str, Doc("The name of the service, for people.")]
    all_event_types: Annotated[
        list[str] | None, Doc("The names of its events; null if there is no fixed list.")
    ]
    config_options: Annotated[list[dict[str, Any]], Doc("Always empty here.")]
    url_options: Annotated[list[dict[str, Any]], Doc("Always empty here.")]


JITSI_SERVER_URL = "https://meet.jit.si"
LIVEKIT_PATH = "/calls/livekit"  # where clients find LiveKit, in the place of Jitsi


class ServerInfo(msgspec.Struct, frozen=True):
    url: str  # the organization's URL, without a trailing slash
    started_at: int
    web_public_enabled: bool
    link_previews: bool
    max_upload_mib: int
    upload_quota_mib: int  # 0: no quota
    login_methods: tuple[str, ...] = ("Email",)  # enabled on this server
    sends_mail: bool = False
    pushes: bool = False  # whether mobile push is enabled
    call_providers: tuple[int, ...] = (0, 1)
    jitsi_url: str = JITSI_SERVER_URL
    has_call_relay: bool = False  # a TURN server
    incoming_webhooks: msgspec.Raw = msgspec.Raw(b"[]")  # the supported services, encoded once
