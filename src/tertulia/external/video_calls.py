"""Creates video calls on the operator's BigBlueButton or Nextcloud Talk."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from urllib.parse import quote, urlencode

from tertulia.config import Config
from tertulia.errors import BadRequest
from tertulia.external import safe_http
from tertulia.external.safe_http import ALL_NETWORKS, HttpResponse, RequestFailed

SECONDS = 20.0
MAX_RESPONSE_BYTES = 1 << 20
ROOM_NAME_LENGTH = 255
OPEN_TO_ALL = "3"  # room type "public"


# --- BigBlueButton ---


async def create_meeting(config: Config, meeting_id: str, name: str, *, is_voice_only: bool) -> str:
    """Create a meeting unless it exists; returns its creation time as the server gives it."""
    parameters = {"meetingID": meeting_id, "name": name}
    if is_voice_only:
        parameters["lockSettingsDisableCam"] = "true"
    try:
        answer = await safe_http.get(
            _signed(config, "create", parameters),
            {"Accept": "application/xml"},
            seconds=SECONDS,
            max_bytes=MAX_RESPONSE_BYTES,
            max_redirects=0,
            allowed=ALL_NETWORKS,
        )
    except RequestFailed as trouble:
        why = type(trouble).__name__
        raise BadRequest(
            f"Error connecting to the BigBlueButton server: {why}", problem="service-unreachable"
        ) from None
    if answer.status != 200:
        raise BadRequest(
            f"BigBlueButton server returned an unexpected error: {answer.status}",
            problem="call-server-error",
        )
    text = answer.body.decode(errors="replace")
    if _element(text, "returncode") != "SUCCESS":
        key = _element(text, "messageKey")
        if key == "checksumError":
            raise BadRequest(
                "Error authenticating to the BigBlueButton server",
                problem="service-refused-credentials",
            )
        raise BadRequest(
            f"BigBlueButton server returned an unexpected error: {key or '?'}",
            problem="call-server-error",
        )
    return _element(text, "createTime")


def join_url(
    config: Config, meeting_id: str, name: str, created: str, *, is_moderator: bool
) -> str:
    """The URL that joins a meeting."""
    parameters = {
        "meetingID": meeting_id,
        "role": "MODERATOR" if is_moderator else "VIEWER",
        "fullName": name,
    }
    return _signed(config, "join", parameters | ({"createTime": created} if created else {}))


def _signed(config: Config, method: str, parameters: Mapping[str, str]) -> str:
    query = urlencode(parameters)
    signed_text = f"{method}{query}{config.bigbluebutton_secret}"
    checksum = hashlib.sha256(signed_text.encode()).hexdigest()
    return f"{config.bigbluebutton_url}/api/{method}?{query}&checksum={checksum}"


def _element(text: str, name: str) -> str:
    """The text of the first element with a name; the answers are small and flat."""
    found = re.search(rf"<{name}>\s*([^<]{{0,200}}?)\s*</{name}>", text)
    return found[1] if found else ""


# --- Nextcloud Talk ---


async def create_room(config: Config, name: str) -> str:
    """The address of a new room that everyone with the link can enter."""
    login = f"{config.nextcloud_user}:{config.nextcloud_password}"
    form = {"roomType": OPEN_TO_ALL, "roomName": name[:ROOM_NAME_LENGTH]}
    try:
        answer = await safe_http.post(
            f"{config.nextcloud_url}/ocs/v2.php/apps/spreed/api/v4/room",
            urlencode(form).encode(),
            {
                "Authorization": f"Basic {base64.b64encode(login.encode()).decode()}",
                "Content-Type": "application/x-www-form-urlencoded",
                "OCS-APIRequest": "true",
                "Accept": "application/json",
            },
            seconds=SECONDS,
            max_bytes=MAX_RESPONSE_BYTES,
            allowed=ALL_NETWORKS,
        )
    except RequestFailed as trouble:
        why = type(trouble).__name__
        raise BadRequest(
            f"Error connecting to the Nextcloud server: {why}", problem="service-unreachable"
        ) from None
    if answer.status in (401, 403):
        raise BadRequest(
            "Error authenticating to the Nextcloud server", problem="service-refused-credentials"
        )
    token = _token(answer)
    if not token:
        raise BadRequest("Failed to create Nextcloud Talk call", problem="call-server-error")
    return f"{config.nextcloud_url}/index.php/call/{quote(token, safe='')}"


def _token(answer: HttpResponse) -> str:
    if not 200 <= answer.status < 300:
        return ""
    try:
        return str(json.loads(answer.body)["ocs"]["data"]["token"])[:200]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
