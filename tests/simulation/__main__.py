"""The command line of the simulation: `make simulate ARGS="--seeds 20"` or `ARGS="--seed 7"`."""

import sys

from tests.simulation import machine

machine.install()

from tertulia.database import readers  # noqa: E402, after the machine is replaced
from tertulia.jobs import runner  # noqa: E402

configured = readers.READERS, runner.CHECK_SECONDS
from tests.simulation import campaign  # noqa: E402

readers.READERS, runner.CHECK_SECONDS = configured  # the support of other tests changes them

sys.exit(campaign.main(sys.argv[1:]))
