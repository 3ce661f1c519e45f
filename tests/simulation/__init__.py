"""A deterministic simulation of whole servers: virtual time, seeded faults, and laws.

`python -m tests.simulation --seeds 20` runs twenty seeds; `docs/reliability.md` explains the rest.
"""
