"""Uploaded files and images."""
