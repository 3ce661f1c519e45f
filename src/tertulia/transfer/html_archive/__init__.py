"""HTML archives: an organization, or the messages of one user, as a folder for a browser.

The folder opens by a double click and needs no server, also for its search.
"""
