"""URLs of inputs: which kinds exist, how to show them without secrets, where their copies are."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from ontology_etl.config import THIS_MACHINE

WEB: Final = ("http", "https")
OBJECTS: Final = "s3"
DATABASES: Final = ("postgresql", "postgres")
SCHEMES: Final = (*WEB, OBJECTS, *DATABASES)
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")
_DIGITS: Final = 10
"""Digits of the digest that distinguishes folders of copies."""


def scheme_of(text: str) -> str:
    """Return the scheme of an address in lower case, "" for a local path.

    >>> scheme_of("S3://logan/sra.parquet"), scheme_of("data/runs.csv"), scheme_of("C:/runs.csv")
    ('s3', '', '')
    """
    found = _SCHEME.match(text)
    return found[1].lower() if found else ""


def fault_of(address: str) -> str | None:
    """Return why ``address`` cannot be fetched, in words; None if it can.

    >>> fault_of("ftp://host/runs.csv")
    'ftp:// is not one of http://, https://, s3://, postgresql://, postgres://'
    """
    scheme = scheme_of(address)
    if scheme not in SCHEMES:
        known = ", ".join(f"{known}://" for known in SCHEMES)
        return f"{scheme}:// is not one of {known}"
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError as error:
        return str(error)
    if scheme in DATABASES:
        return None
    if not host:
        return "it names no bucket" if scheme == OBJECTS else "it names no host"
    if not file_name(address):
        return "it names a folder, not a file"
    if "@" in parts.netloc:
        return "it holds a user or password"
    return None


def is_plain(address: str) -> bool:
    """Return whether ``address`` is unencrypted and on another machine.

    >>> is_plain("http://example.org/a"), is_plain("http://localhost/a"), is_plain("s3://b/a")
    (True, False, False)
    """
    parts = urlsplit(address)
    return parts.scheme.lower() == "http" and parts.hostname not in THIS_MACHINE


def shown(address: str) -> str:
    """Return ``address`` without password and query, which may hold a signature.

    >>> shown("https://example.org/a.csv?X-Signature=123")
    'https://example.org/a.csv?…'
    >>> shown("postgresql://reader:secret@db.example.org/logan")
    'postgresql://reader@db.example.org/logan'
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return f"{scheme_of(address)}://…"
    user, at, host = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    query = "?…" if parts.query else ""
    return f"{parts.scheme}://{name}{at}{host}{parts.path}{query}"


def copy_folder(address: str, downloads: Path, *, kind: str = "") -> Path:
    """Return the folder for the copy of ``address``: host or bucket, and a digest.

    ``kind`` distinguishes what is read from one address: the table of a database.
    """
    host = urlsplit(address).hostname or scheme_of(address)
    content = f"{address}\n{kind}".encode()
    digest = hashlib.sha256(content).hexdigest()[:_DIGITS]
    readable = _UNFIT.sub("-", host)
    return downloads / f"{readable}-{digest}"


def file_name(address: str) -> str:
    """Return the name of the file at ``address``, safe for the local file system.

    >>> file_name("https://example.org/data/runs%20of%202024.csv.gz?version=3")
    'runs-20of-202024.csv.gz'
    """
    last = urlsplit(address).path.rpartition("/")[2]
    return _UNFIT.sub("-", last).strip(".")
