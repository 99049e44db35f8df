"""Errors of the whole product: one root, one class per cause.

Each error carries its data, names the file and the row where there is one, and says the next
command to type. ``exit_code`` is what a command line returns for it (0 is success, 2 is a usage
error from the argument parser).

    ViromeError                      1
    ├── InputError                   3   an input file cannot be used
    │   ├── MissingFileError
    │   ├── TruncatedFileError
    │   ├── ColumnError
    │   ├── EncodingError
    │   ├── EmptyTableError
    │   ├── AllRejectedError
    │   ├── MalformedRowError
    │   └── ManifestError
    ├── ContractError                4   a table breaks its contract: a bug, or upstream changed
    ├── DownloadError                5   a file cannot be fetched or its sha256 is wrong
    ├── StoreError                   6   index/errors.py
    ├── ModelError                   7   index/errors.py
    ├── QueryError                   8   query/errors.py
    ├── ShrinkError                  9   flows/errors.py
    ├── NoServerError               10   flows/errors.py
    ├── GateError                   11   query/errors.py
    ├── UnequalError                12   flows/errors.py
    └── StageTimeoutError           13   flows/errors.py
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar


class ViromeError(Exception):
    """Root of every error raised on purpose; ``remedy`` is the next thing to do."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(f"{message}\n  -> {remedy}")
        self.message = message
        self.remedy = remedy

    def __reduce__(self) -> tuple[object, ...]:
        """Return what rebuilds the error in another process, with its data."""
        return _made_again, (type(self), self.args), self.__dict__


class InputError(ViromeError):
    """An input file cannot be used; ``path`` and ``row`` say where.

    Rows count from 1 with the header; None means the whole file.
    """

    exit_code = 3

    def __init__(
        self, path: Path | str, reason: str, *, row: int | None = None, remedy: str
    ) -> None:
        where = str(path) if row is None else f"{path}, row {row}"
        super().__init__(
            f"{where}: {reason}",
            remedy=remedy,
        )
        self.path = Path(path)
        self.row = row
        self.reason = reason


class MissingFileError(InputError):
    """No file at the path the manifest names."""

    def __init__(self, path: Path | str) -> None:
        remedy = "correct the path in the inputs manifest, or fetch the file"
        super().__init__(path, "no such file", remedy=remedy)


class TruncatedFileError(InputError):
    """The file ends early: a truncated archive or document."""

    def __init__(self, path: Path | str, reason: str, *, row: int | None = None) -> None:
        remedy = "fetch the file again and compare its sha256"
        super().__init__(
            path,
            f"ends early ({reason})",
            row=row,
            remedy=remedy,
        )


class TooLargeError(InputError):
    """A packed file unpacks to far more than a table of records could hold."""

    def __init__(self, path: Path | str, reason: str) -> None:
        remedy = "unpack it yourself and look at it; a file that is not packed is read as it is"
        super().__init__(path, reason, remedy=remedy)


class ColumnError(InputError):
    """Required columns are ``missing``; ``near`` is the ``found`` column that each may be."""

    def __init__(
        self,
        path: Path | str,
        *,
        missing: list[str],
        found: list[str],
        format_name: str,
        near: Mapping[str, str] | None = None,
    ) -> None:
        self.missing = missing
        self.found = found
        self.near = dict(near or {})
        absent = ", ".join(self._with_guess(name) for name in missing)
        present = ", ".join(found[:12])
        reason = f"not a {format_name} table: missing column(s) {absent}; found {present}"
        renaming = "; ".join(f"rename {given!r} to {name!r}" for name, given in self.near.items())
        remedy = renaming or "check the format named for this file in the inputs manifest"

        super().__init__(path, reason, row=1, remedy=remedy)

    def _with_guess(self, name: str) -> str:
        return f"{name} (is it {self.near[name]!r}?)" if name in self.near else name


UTF_16_MARKS = (0xFE, 0xFF)
"""The first bytes of a file in UTF-16; Latin-1 text begins with neither."""


class EncodingError(InputError):
    """A byte that is not UTF-8."""

    def __init__(self, path: Path | str, *, row: int | None, byte: int) -> None:
        encoding = "utf-16" if byte in UTF_16_MARKS and row == 1 else "latin1"
        remedy = f"convert the file first: iconv -f {encoding} -t utf-8 {path} > fixed"
        super().__init__(
            path,
            f"byte 0x{byte:02x} is not UTF-8",
            row=row,
            remedy=remedy,
        )
        self.byte = byte


class EmptyTableError(InputError):
    """A table has a header but no usable row."""

    def __init__(self, path: Path | str, *, what: str = "rows") -> None:
        remedy = "remove the file from the inputs manifest, or fetch it again"
        super().__init__(
            path,
            f"contains no {what}",
            remedy=remedy,
        )


class AllRejectedError(InputError):
    """Every row of a file was rejected: ``rows`` of them, ``most`` for the commonest reason."""

    def __init__(self, path: Path | str, *, rows: int, most: str, remedy: str) -> None:
        reason = f"every row is rejected ({rows:,} in all), most of them because: {most}"
        super().__init__(path, reason, remedy=remedy)
        self.rows = rows
        self.most = most


class MalformedRowError(InputError):
    """A row or stanza cannot be read, and skipping it would change what the file means."""


class ManifestError(InputError):
    """The inputs manifest is wrong."""


class ContractError(ViromeError):
    """A table breaks its contract; ``table`` and ``violations`` (rule -> count) say how."""

    exit_code = 4

    def __init__(self, table: str, violations: dict[str, int], *, source: str = "") -> None:
        rules = "; ".join(f"{rule}: {count} row(s)" for rule, count in violations.items())
        origin = f" (from {source})" if source else ""
        message = f"table {table}{origin} breaks its contract: {rules}"
        remedy = "an input changed its meaning or this is a bug: keep the input file and report it"
        super().__init__(message, remedy=remedy)
        self.table = table

        self.violations = violations


class DownloadError(ViromeError):
    """A file cannot be downloaded, or is not the expected one."""

    exit_code = 5

    def __init__(self, url: str, reason: str, *, remedy: str) -> None:
        super().__init__(
            f"{url}: {reason}",
            remedy=remedy,
        )
        self.url = url
        self.reason = reason


def _made_again(kind: type[ViromeError], said: tuple[object, ...]) -> ViromeError:
    """Return an error with the text ``said``, without calling the constructor of its class."""
    return kind.__new__(kind, *said)
