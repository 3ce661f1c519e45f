"""A file store in a bucket of an S3-compatible service: put, read, delete and list."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO
from urllib.parse import quote

import httpx
from defusedxml import ElementTree

from tertulia.external.sso import provider_http
from tertulia.external.stores import signing
from tertulia.external.stores.signing import EMPTY_DIGEST, UNRESERVED, S3Key
from tertulia.external.stores.store import CHUNK_BYTES, NotInStore, StoreUnavailable

TIMEOUT = httpx.Timeout(10, connect=5)
PUT_TIMEOUT = httpx.Timeout(60, connect=5)
XML = "{*}"  # in any namespace
CODE = re.compile(r"<Code>(\w{1,60})</Code>")


class S3Store:
    max_file_bytes: int | None = 5 << 30  # maximum of a single PUT

    def __init__(self, bucket: str, folder: str, key: S3Key) -> None:
        """`bucket` is an address, with its name in the host or in the path."""
        self._bucket = bucket.rstrip("/")
        self._prefix = f"{folder}/" if folder else ""
        self._key = key
        self._client = httpx.Client(
            timeout=TIMEOUT, verify=provider_http.tls_context(""), trust_env=True
        )

    def put(self, name: str, contents: IO[bytes], size: int, digest: str) -> None:
        body = iter(lambda: contents.read(CHUNK_BYTES), b"")
        response = self._request("PUT", self._url(name), digest, size=size, body=body)
        if response.status_code != 200:
            raise self._refusal(response)

    def read(self, name: str, start: int, max_bytes: int) -> bytes:
        wanted = {"Range": f"bytes={start}-{start + max_bytes - 1}"}
        response = self._request("GET", self._url(name), extra_headers=wanted)
        if response.status_code == 206 or "Content-Range" in response.headers:
            return response.content
        if response.status_code == 200:  # some services ignore the Range header
            return response.content[start : start + max_bytes]
        if response.status_code == 416:
            return b""
        if response.status_code == 404 and _code(response) != "NoSuchBucket":
            raise NotInStore(name)
        raise self._refusal(response)

    def delete(self, name: str) -> None:
        response = self._request("DELETE", self._url(name))
        if response.status_code not in (200, 204) and _code(response) != "NoSuchKey":
            raise self._refusal(response)

    def sizes(self) -> Iterator[tuple[str, int]]:
        after = ""
        while True:
            query = f"list-type=2&prefix={quote(self._prefix, safe='')}"
            if after:
                query += f"&continuation-token={quote(after, safe='')}"
            response = self._request("GET", f"{self._bucket}/?{query}")
            if response.status_code != 200:
                raise self._refusal(response)
            page = ElementTree.fromstring(response.content)
            for each in page.iterfind(f"{XML}Contents"):
                name = each.findtext(f"{XML}Key", "").removeprefix(self._prefix)
                yield name, int(each.findtext(f"{XML}Size", "0"))
            after = page.findtext(f"{XML}NextContinuationToken", "")
            if not after:
                return

    def _url(self, name: str) -> str:
        return f"{self._bucket}/{quote(self._prefix + name, safe='/' + UNRESERVED)}"

    def _request(
        self,
        method: str,
        url: str,
        digest: str = EMPTY_DIGEST,
        *,
        extra_headers: dict[str, str] | None = None,
        size: int = 0,
        body: Iterator[bytes] | None = None,
    ) -> httpx.Response:
        signed = signing.headers(self._key, method, url, datetime.now(UTC), digest, extra_headers)
        if body is not None:
            signed["Content-Length"] = str(size)
        try:
            return self._client.request(
                method,
                url,
                headers=signed,
                content=body,
                timeout=TIMEOUT if body is None else PUT_TIMEOUT,
            )
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise StoreUnavailable(
                f"The store for files, {self._bucket}: {type(error).__name__} {error}"
            ) from error

    def _refusal(self, response: httpx.Response) -> StoreUnavailable:
        status = f"status {response.status_code} {_code(response)}".strip()
        return StoreUnavailable(f"The store for files, {self._bucket}: {status}.")


def _code(response: httpx.Response) -> str:
    found = CODE.search(response.text[:2000])
    return found[1] if found else ""
