"""The command `tertulia`: serving, and looking after the people and organizations on a server.

Results go to stdout, everything else to stderr. All commands but `serve` also work beside a
running server: they write to its database, and it notices. Data is made by `serve`,
`restore`, `import` and `org create`; every other command refuses a folder that has none.
"""

from tertulia.cli.commands import main

__all__ = ["main"]
