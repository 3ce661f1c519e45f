"""Converts requests to typed values and results to bytes.

The signature of an endpoint is its contract: parsing, error texts, unsupported parameters and the
API description are all derived from it. This package knows nothing about the endpoints' subjects.
"""
