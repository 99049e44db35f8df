"""Objects of S3-compatible stores: transferred like files over HTTP, and listed by pattern.

Addresses are ``s3://BUCKET/KEY``. The store and the credentials come from the variables that all S3
tools read (``AWS_ENDPOINT_URL``, ``AWS_REGION``, ``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY``,
…). Without credentials a request is not signed, as public buckets require. Needs the extra
``remote`` (obstore, the object stores of Apache Arrow's Rust implementation).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ontology_etl.addresses import shown
from ontology_etl.errors import DownloadError
from ontology_etl.releases.transfer import BrokenOffError, DownloadProgress, PartialDownload

if TYPE_CHECKING:
    from obstore import GetOptions
    from obstore.store import S3Store

INSTALL: Final = "install what reads it: pip install 'virome-graphrag[remote]'"
_CREDENTIALS: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SKIP_SIGNATURE",
)
"""Variables that say who asks; without any of them a request is not signed."""
_NAME_IT: Final = "correct bucket and key, or name the store: export AWS_ENDPOINT_URL=https://…"
_WHO_ASKS: Final = "export AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of someone who may read it"
_FAULTS: Final = {
    "NoSuchBucket": ("no such bucket", _NAME_IT),
    "NoSuchKey": ("no such object", _NAME_IT),
    "AccessDenied": ("access is denied", _WHO_ASKS),
    "InvalidAccessKeyId": ("the store does not know this access key", _WHO_ASKS),
    "SignatureDoesNotMatch": ("the secret key is wrong", _WHO_ASKS),
    "PermanentRedirect": ("the bucket is in another region", "export AWS_REGION=…"),
    "AuthorizationHeaderMalformed": ("the bucket is in another region", "export AWS_REGION=…"),
}
"""Codes of permanent S3 errors, what they mean, and what to do."""
_CODE: Final = re.compile(r"<Code>(\w+)</Code>")
_NO_ANSWER: Final = re.compile(r"performing [A-Z]+ (https?://[^/\s]+).*error sending request", re.S)
"""How obstore says that a connection was refused, reset or never made."""
_BLOCK: Final = 8 << 20
_CONNECT_S: Final = 10


def transfer_object(
    part: PartialDownload, known: str | None, *, timeout_s: float, progress: DownloadProgress | None
) -> bool:
    """Complete the download ``part`` from an object store, as ``transfer`` does over HTTP."""
    store = open_store(part.url, timeout_s=timeout_s)
    from obstore import exceptions

    try:
        return _transfer(store, part, known, progress)
    except exceptions.NotModifiedError:
        return False
    except exceptions.PreconditionError as error:
        part.discard()
        raise BrokenOffError("the object changed while it was fetched") from error
    except (exceptions.BaseError, FileNotFoundError) as error:
        fault = _fault(error)
        if fault is None:
            raise BrokenOffError(_reason(error)) from error
        reason, remedy = fault
        raise DownloadError(part.shown, reason, remedy=remedy) from error


def list_objects(pattern: str, *, timeout_s: float) -> list[str]:
    """Return the addresses of the objects that match ``s3://BUCKET/a/*.parquet``, sorted by key.

    A star matches within one part of a key. Raises ``DownloadError``, also where nothing matches.
    """
    store = open_store(pattern, timeout_s=timeout_s)
    import obstore
    from obstore import exceptions

    parts = urlsplit(pattern)
    wanted = parts.path.lstrip("/")
    folder = wanted.partition("*")[0].rpartition("/")[0]
    try:
        chunks = list(obstore.list(store, prefix=folder or None))
    except (exceptions.BaseError, FileNotFoundError) as error:
        reason, remedy = _fault(error) or (_reason(error), _NAME_IT)
        raise DownloadError(shown(pattern), reason, remedy=remedy) from error
    keys = [entry["path"] for chunk in chunks for entry in chunk]
    found = sorted(key for key in keys if _matches(key, wanted))
    if not found:
        remedy = "correct the glob; aws s3 ls lists what is there"
        raise DownloadError(shown(pattern), "no object matches", remedy=remedy)
    return [f"s3://{parts.netloc}/{key}" for key in found]


def open_store(address: str, *, timeout_s: float) -> S3Store:
    """Return the bucket of ``address``. Raises ``DownloadError`` if obstore is not installed."""
    try:
        from obstore.store import S3Store
    except ImportError as error:
        raise DownloadError(shown(address), "s3:// needs obstore", remedy=INSTALL) from error
    settings = _settings(os.environ)
    return S3Store(
        urlsplit(address).netloc,
        client_options={
            "timeout": timedelta(seconds=timeout_s),
            "connect_timeout": timedelta(seconds=_CONNECT_S),
            "allow_http": settings.pop("allow_http"),
        },
        retry_config={"max_retries": 1},
        **settings,
    )


def _settings(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings that the environment does not make: signing, and whether plain HTTP is
    allowed.

    >>> _settings({})
    {'allow_http': False, 'skip_signature': True}
    >>> _settings({"AWS_ACCESS_KEY_ID": "a", "AWS_ENDPOINT_URL": "http://127.0.0.1:9000"})
    {'allow_http': True}
    """
    endpoint = environ.get("AWS_ENDPOINT_URL") or environ.get("AWS_ENDPOINT_URL_S3") or ""
    settings: dict[str, Any] = {"allow_http": endpoint.startswith("http://")}
    if not any(environ.get(name) for name in _CREDENTIALS):
        settings["skip_signature"] = True
    return settings


def _transfer(
    store: S3Store, part: PartialDownload, known: str | None, progress: DownloadProgress | None
) -> bool:
    import obstore

    key = urlsplit(part.url).path.lstrip("/")
    begun = part.validator()
    options: GetOptions = {"if_none_match": known} if known and not begun else {}
    if begun:
        state = obstore.head(store, key)
        if state["e_tag"] != begun:
            part.discard()
            raise BrokenOffError("the object changed while it was fetched")
        if state["size"] == part.size():
            return True
        options = {"if_match": begun, "range": {"offset": part.size()}}
    response = obstore.get(store, key, options=options)
    if not begun:
        part.begin(response.meta["e_tag"] or "")
    total = response.meta["size"]
    done = part.size()
    with part.path.open("ab") as out:
        for block in response.stream(min_chunk_size=_BLOCK):
            out.write(block)
            done += len(block)
            if progress is not None:
                progress(part.target.name, done, total)
    if done != total:
        raise BrokenOffError(f"ended after {done} of {total} bytes")
    return True


def _matches(key: str, pattern: str) -> bool:
    """Return whether ``key`` has as many parts as ``pattern`` and each part matches.

    >>> _matches("logan/2024/run.parquet", "logan/*/run*.parquet")
    True
    >>> _matches("logan/2024/run.parquet", "logan/*.parquet")
    False
    """
    path = PurePosixPath(key)
    is_as_deep = len(path.parts) == len(PurePosixPath(pattern).parts)
    return is_as_deep and path.match(pattern)


def _fault(error: Exception) -> tuple[str, str] | None:
    """Return a permanent fault and its remedy; None if it may pass."""
    from obstore import exceptions

    code = _CODE.search(str(error))
    if code is not None and code[1] in _FAULTS:
        return _FAULTS[code[1]]
    if isinstance(error, (exceptions.NotFoundError, FileNotFoundError)):
        return _FAULTS["NoSuchKey"]
    if isinstance(error, (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError)):
        return _FAULTS["AccessDenied"]
    return None


def _reason(error: Exception) -> str:
    """Return a temporary failure in one line: which store did not answer, or what it said."""
    text = str(error).strip()
    refused = _NO_ANSWER.search(text)
    if refused is not None:
        return f"{refused[1]} does not answer"
    return text.splitlines()[0] if text else type(error).__name__
