"""Events are decoded by several threads at once, from the start of a server."""

import subprocess
import sys

READERS = """
import json, sys, threading
import msgspec
from tertulia import events

# Every field is there, and none is what it should be: each is looked at, and refused.
texts = {
    kind: json.dumps(dict.fromkeys(form.__struct_encode_fields__))
    for kind, form in events.types.event.kinds().items()
}
gate = threading.Barrier(4)
sys.setswitchinterval(1e-6)

def read():
    for kind, text in texts.items():
        gate.wait()
        try:
            events.log.decoder(kind).decode(text)
        except msgspec.DecodeError:
            pass

readers = [threading.Thread(target=read) for _ in range(4)]
for reader in readers:
    reader.start()
for reader in readers:
    reader.join()
print("all is read")
"""


def test_several_threads_may_decode_a_new_kind_of_event_at_once():
    done = subprocess.run([sys.executable, "-c", READERS], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "all is read\n"), done.stderr
