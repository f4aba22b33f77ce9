"""What obstore does not find by itself for S3: profiles in `~/.aws`, and the region of a bucket."""

from __future__ import annotations

import http.client
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from ...engine.errors import ArgumentError, MissingDependencyError

HOME = "s3.amazonaws.com"
"""The host that knows the region of each bucket."""

_OWN_KEYS = {"access_key_id", "aws_access_key_id", "skip_signature", "aws_skip_signature"}


def aws_options(bucket: str, options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options for a bucket, and further arguments of the store.

    Raises:
        MissingDependencyError: a profile is needed, and boto3 is not installed.
        ArgumentError: there is no such profile.
    """
    options = dict(options)
    more: dict[str, Any] = {}
    profile = options.pop("profile", None)
    if profile or (not _OWN_KEYS & set(options) and _asks_profiles()):
        session = _session(profile)
        if session is not None:
            from obstore.auth.boto3 import Boto3CredentialProvider  # needs boto3

            more["credential_provider"] = Boto3CredentialProvider(session)
            if session.region_name:
                options.setdefault("region", session.region_name)
    if not {"region", "aws_region", "default_region"} & set(options) and not _is_elsewhere(options):
        with suppress(OSError, http.client.HTTPException):  # the request itself says what is wrong
            options["region"] = region_of(bucket)
    return options, more


def _asks_profiles() -> bool:
    if "AWS_ACCESS_KEY_ID" in os.environ:
        return False
    places = {
        "AWS_SHARED_CREDENTIALS_FILE": "~/.aws/credentials",
        "AWS_CONFIG_FILE": "~/.aws/config",
    }
    return "AWS_PROFILE" in os.environ or any(
        Path(os.environ.get(name, place)).expanduser().exists() for name, place in places.items()
    )


def _session(profile: str | None) -> Any:
    """Return boto3's session; None if its profile has no credentials."""
    try:
        import boto3
        from botocore.exceptions import BotoCoreError
    except ImportError as error:
        raise MissingDependencyError(
            f"the profiles in ~/.aws are read by boto3 ({error}): pip install boto3, or set "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        ) from error
    try:
        session = boto3.session.Session(profile_name=profile)
        return session if session.get_credentials() else None
    except BotoCoreError as error:
        raise ArgumentError(f"s3: {error}") from error


def _is_elsewhere(options: Mapping[str, Any]) -> bool:
    """Return whether the region or another service is told by the options or the environment."""
    told = ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")
    return any("endpoint" in name for name in options) or any(
        os.environ.get(name) for name in (*told, "AWS_ENDPOINT")
    )


@cache
def region_of(bucket: str) -> str:
    """Return the region of a bucket of AWS, which anybody may ask for.

    Raises:
        OSError, HTTPException: there is no answer.
    """
    connection = http.client.HTTPSConnection(HOME, timeout=5)
    try:
        connection.request("HEAD", f"/{bucket}")
        return connection.getresponse().headers.get("x-amz-bucket-region") or "us-east-1"
    finally:
        connection.close()
