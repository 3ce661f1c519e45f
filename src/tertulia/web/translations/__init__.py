"""Texts of the pages before login, a module for each language. English has all of them."""
