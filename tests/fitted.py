"""Say what weights were fitted with, so that a test knows stale ones without fitting them anew."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from index.models.embeddings import MODEL


def digest_of(examples: Sequence[Sequence[object]]) -> str:
    """Return a digest of ``examples``, in their order, and of the model of their vectors."""
    lines = [json.dumps(list(example), ensure_ascii=False) for example in examples]
    text = "\n".join([MODEL, *lines])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
