"""What speaks to other machines. Used by `api`, `jobs` and `web`, never inside a transaction.

Each module loads the library it needs when it is first used: most servers need few of them.
"""
