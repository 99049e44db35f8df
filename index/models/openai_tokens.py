"""Count the tokens of a prompt with the tokenizer of its server (llama.cpp has one)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import openai

    from index.models.protocol import Prompt


async def exact_tokens(client: openai.AsyncOpenAI, base_url: str, prompt: Prompt) -> int | None:
    """Return the tokens of ``prompt`` for the model at ``base_url``; None if the server cannot
    count.
    """
    import openai

    root = base_url.rstrip("/").removesuffix("/v1")
    try:
        messages: dict[str, Any] = {"messages": prompt.messages()}
        template = await client.post(f"{root}/apply-template", cast_to=object, body=messages)
        shown = cast(dict[str, Any], template)
        text = {"content": shown["prompt"], "parse_special": True, "add_special": True}
        counted = await client.post(f"{root}/tokenize", cast_to=object, body=text)
        return len(cast(dict[str, Any], counted)["tokens"])
    except (
        openai.OpenAIError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        RecursionError,
    ):
        return None
