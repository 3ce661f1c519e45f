"""Requests become typed values, results become bytes.

The signature of an endpoint is its contract: parsing, error texts, unsupported parameters and the
API description are all drawn from it. Nothing here knows what the endpoints are about.
"""
