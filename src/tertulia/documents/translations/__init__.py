"""Texts of public pages and archives, a module for each language. English has all of them."""
