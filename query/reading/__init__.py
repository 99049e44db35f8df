"""Read questions: free words in, typed requests out."""

from __future__ import annotations

from query.reading.reader import read
from query.reading.reading import Form, NameInQuestion, Need, Reading

__all__ = ["Form", "NameInQuestion", "Need", "Reading", "read"]
