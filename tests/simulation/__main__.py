"""The command line of the simulation: `make simulate ARGS="--seeds 20"` or `ARGS="--seed 7"`."""

import sys

from tests.simulation import machine

machine.install()

from tests.simulation import campaign  # noqa: E402, after the machine is replaced

sys.exit(campaign.main(sys.argv[1:]))
