"""Objects in S3 and what speaks its protocol, through the client of s3fs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from botocore import exceptions as botocore

from ...engine.errors import SourceError
from ..storage.urls import shown
from .retries import Passing
from .service import PIECE, Reply, Service, Version, refusal

_PASSING = (
    botocore.HTTPClientError,
    botocore.ConnectionError,
    botocore.IncompleteReadError,
    botocore.ResponseStreamingError,
    aiohttp.ClientError,
    ConnectionError,
)
_BUSY = frozenset({"SlowDown", "RequestTimeout", "InternalError", "ServiceUnavailable"})


class S3Service(Service):
    """Makes its own requests through the client of s3fs, to see the ETag: see `HttpService`."""

    async def connect(self) -> None:
        """Make the client, which takes some tenths of a second."""
        try:
            await self.fs.set_session()
        except botocore.BotoCoreError as error:
            raise SourceError(f"s3: {error}") from error

    @asynccontextmanager
    async def get(
        self, url: str, offset: int, length: int, known: Version | None
    ) -> AsyncIterator[Reply]:
        """See `Service.get`."""
        bucket, key, version = self.fs.split_path(url)
        options = {**self.fs.req_kw, **({"VersionId": version} if version else {})}
        try:
            client = await self.fs.get_s3(bucket)
            answer = await client.get_object(
                Bucket=bucket, Key=key, Range=f"bytes={offset}-{offset + length - 1}", **options
            )
            async with answer["Body"] as body:
                yield _S3Reply(answer, body)
        except botocore.ClientError as error:
            if _is_empty(error) and offset == 0:
                yield _EmptyReply()
            else:
                raise _refused(url, error) from error
        except botocore.NoCredentialsError as error:
            raise SourceError(
                f"{shown(url)}: no credentials for S3 were found; set the environment's "
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or pass storage_options={'anon': "
                "True} for public data"
            ) from error
        except _PASSING as error:
            raise Passing(f"the connection failed ({error})") from error
        except botocore.BotoCoreError as error:
            raise SourceError(f"{shown(url)}: {error}") from error


class _S3Reply(Reply):
    def __init__(self, answer: dict[str, Any], body: Any) -> None:
        self._body = body
        self.length = int(answer["ContentLength"])
        given = answer.get("ContentRange", "")
        self.ranged = bool(given)
        byte_range, _, size = given.removeprefix("bytes ").partition("/")
        self.offset = int(byte_range.partition("-")[0] or 0)
        self.version = Version(
            int(size or self.length), answer.get("ETag", ""), str(answer.get("LastModified", ""))
        )

    async def read(self) -> bytes:
        piece: bytes = await self._body.read(PIECE)
        return piece


class _EmptyReply(Reply):
    version = Version(0)
    offset = length = 0

    async def read(self) -> bytes:
        return b""


def _status(error: botocore.ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _is_empty(error: botocore.ClientError) -> bool:
    return _status(error) == 416


def _refused(url: str, error: botocore.ClientError) -> Exception:
    code = error.response.get("Error", {}).get("Code", "")
    if code in _BUSY:
        return Passing(f"the server answered {code}")
    return refusal(url, _status(error), code)
