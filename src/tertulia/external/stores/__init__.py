"""File stores outside of the database.

A store knows names and bytes. All calls block, so they are made on threads and in commands, never
on the event loop.
"""
