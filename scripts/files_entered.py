"""How many of our files a request enters: `python scripts/files_entered.py [-v]`.

It starts a server, makes each request once to load everything, and then traces it through all
threads. Jobs that run meanwhile would count, too, so the smallest of several results is printed.
"""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import tertulia
from tertulia.testing.server import started

HERE = f"{Path(tertulia.__file__).parent}/"
TRIES = 5


class EnteredFiles:
    def __init__(self) -> None:
        self.files: set[str] | None = None

    def follow(self, frame: FrameType, event: str, argument: object) -> None:
        name = frame.f_code.co_filename
        if self.files is not None and name.startswith(HERE):
            self.files.add(name.removeprefix(HERE))
            self.files.discard("testing/server.py")

    def of(self, request: Callable[[], object]) -> set[str]:
        found: list[set[str]] = []
        for _ in range(TRIES):
            self.files = set()
            request()
            found.append(self.files)
            self.files = None
        return min(found, key=len)


def main() -> None:
    footprints = EnteredFiles()
    threading.settrace(footprints.follow)
    with started() as chat:
        ana, ben = chat.person("Ana", role="owner"), chat.person("Ben")
        chat.channel("kitchen", ana, ben)
        channel = ana.call("GET", "/get_stream_id", stream="kitchen")["stream_id"]
        queue = ben.call("POST", "/register", event_types=["message"])["queue_id"]
        topics, names = iter(range(100)), iter(range(100))

        def send() -> None:
            ana.send("kitchen", "Soup's on", topic=f"lunch {next(topics)}")

        def send_again() -> None:
            ana.send("kitchen", "Soup's on", topic="supper")

        def poll() -> None:
            ben.call("GET", "/events", queue_id=queue, last_event_id=-1)

        def rename() -> None:
            ana.call("PATCH", f"/streams/{channel}", new_name=f"kitchen {next(names)}")

        for name, request in {
            "a send": send,
            "the next send to the same topic": send_again,
            "a poll": poll,
            "a rename": rename,
        }.items():
            request()
            files = footprints.of(request)
            print(f"{name}: {len(files)} files")
            if "-v" in sys.argv:
                print("".join(f"    {each}\n" for each in sorted(files)), end="")


if __name__ == "__main__":
    main()
