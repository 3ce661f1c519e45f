"""Exports of an organization."""
