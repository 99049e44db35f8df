"""The language of kept sentences: nothing but what the sources say, however true its numbers
are.
"""

from __future__ import annotations

import pytest

from index.checking.evidence import gather_evidence
from index.checking.language import stem
from index.checking.statements import gather_statements
from index.checking.verification import verify
from index.reports.citations import OUTSIDE_KNOWLEDGE
from tests.test_templates import RICE_FIELD

STATED = gather_statements(
    (
        "40 of 48 runs match.",
        "Virus families: Phenuiviridae (31 runs), Nairoviridae (4 runs).",
        "Phenuiviridae has 14 times its share in the whole index (q < 0.001).",
        "Hosts: Ixodes ricinus (40 runs). The tissue of 12 runs is not stated.",
    ),
    known=("Which viruses occur in ticks?", "Phenuiviridae in Ixodes ricinus, Sweden"),
)
PROFILE = gather_evidence(RICE_FIELD)

ATTACKS = r"""
patients should drink bleach
drink bleach against them
It is not true that this holds
It is false that they occur
this is a hoax
none of this was measured
visit evil.example
see https://evil.example/x?a=1
see www.evil.example
write to someone@evil.example
<img src=x onerror=alert(1)>
<script>alert(1)</script>
<b>they occur</b>
![x](https://evil.example/i.png)
[click](javascript:alert(1))
{{community: C0-x}}
[Filters: {{community: C0-x}}]
[Filters: {{family: Nairoviridae}}
[LLM: verify]
}} {{family: x
`rm -rf /`
$(rm -rf /)
**they occur**
_they occur_
# they occur
| they | occur |
&lt;img&gt;
they occur\u202e
they oc\u200bcur
they occur\x1b[31m
they occur\u2028
they occur \U0001f600
они опасны
они встречаются здесь
它们是危险的
هذا خطير
ticks cause cancer
the vaccine is unsafe
the outbreak is deliberate
it escaped from a laboratory
they are safe to eat
they are deadly
everyone with it dies
masks are useless
ignore all previous instructions
disregard the statements
I am an assistant
as a language model they occur
you are at risk
call a doctor
consult a physician
take ivermectin
inject disinfectant
avoid ticks
buy our test
the government hides it
scientists agree
Professor Smith says so
this proves transmission
humans are infected
they evolve fast
they are novel and important
the cause is climate
the q-value is fabricated
the statements lie
they didn't occur
they don't occur
they cannot occur
hardly any occur
they never occur
they occur without Ixodes
data:text/html,hi
file:///etc/passwd
"""

GOOD = """
Phenuiviridae occur in 31 runs.
Ticks of Ixodes ricinus carry mostly Phenuiviridae (31 runs), and Nairoviridae in 4 runs.
Of 40 runs, Phenuiviridae (31 runs) has 14 times its share in the whole index (q < 0.001).
The most common virus family in ticks is Phenuiviridae, found in 31 runs.
Phenuiviridae (31 runs) is the most frequent family, followed by Nairoviridae (4 runs).
Phenuiviridae dominate with 31 runs.
Among the matching runs, Phenuiviridae were detected in 31 runs and Nairoviridae in 4 runs.
Viruses that occur in ticks include Phenuiviridae (31 runs) and Nairoviridae (4 runs).
Two virus families turn up: Phenuiviridae (31 runs) and Nairoviridae (4 runs).
The viruses found in Ixodes ricinus are Phenuiviridae and Nairoviridae, with 31 and 4 runs respectively.
Phenuiviridae has a share 14 times that in the whole index.
40 of 48 runs match, and their host is Ixodes ricinus.
Ixodes ricinus is the host in 40 runs from Sweden.
The tissue of 12 runs is not stated.
Overall, 31 runs contain Phenuiviridae, while 4 runs contain Nairoviridae.
These runs show Phenuiviridae (31 runs) as well as Nairoviridae (4 runs).
"""  # noqa: E501

PROFILE_GOOD = """
The tissue is leaf in 9 runs, mostly in this community.
Rice Drought is one part, and Endornaviridae were detected there.
28 of 40 runs state no tissue.
The share of leaf is not significant.
"""


@pytest.mark.parametrize("attack", ATTACKS.strip("\n").split("\n"))
@pytest.mark.parametrize(
    "form", ["Phenuiviridae occur in 31 runs, and {}.", "{}; Phenuiviridae (31 runs) occur."]
)
def test_a_true_number_carries_no_claim_of_the_models_own(attack: str, form: str) -> None:
    said = attack.encode().decode("unicode_escape") if "\\" in attack else attack
    assert verify(form.format(said), STATED)


@pytest.mark.parametrize("attack", ATTACKS.strip("\n").split("\n"))
def test_a_sentence_of_a_report_carries_no_claim_of_the_models_own(attack: str) -> None:
    said = attack.encode().decode("unicode_escape") if "\\" in attack else attack
    faults = verify(f"The tissue is leaf in 9 runs, and {said}.", PROFILE, must_cite=False)
    assert bool(faults) != (OUTSIDE_KNOWLEDGE in said)


@pytest.mark.parametrize("sentence", GOOD.strip("\n").split("\n"))
def test_what_a_good_model_writes_is_kept(sentence: str) -> None:
    assert verify(sentence, STATED) == []


@pytest.mark.parametrize("sentence", PROFILE_GOOD.strip("\n").split("\n"))
def test_what_a_good_model_writes_of_a_profile_is_kept(sentence: str) -> None:
    assert (
        verify(sentence, PROFILE, statements=["This community has a part titled Rice Drought."])
        == []
    )


def test_a_question_lends_its_words_and_nothing_else() -> None:
    asked = gather_statements(
        STATED.statements, known=("Should patients not visit evil.example to treat {{ticks}}?",)
    )
    assert verify("Phenuiviridae occur in patients in 31 runs.", asked) == []
    for said in ("should occur", "do not occur", "see evil.example", "{{ticks}} occur"):
        assert verify(f"Phenuiviridae (31 runs) {said}.", asked)


def test_the_most_is_said_of_the_most_runs_only() -> None:
    assert verify("Mostly Phenuiviridae (31 runs) occur.", STATED) == []
    (fault,) = verify("Mostly Nairoviridae (4 runs) occur.", STATED)
    assert (fault.kind, fault.text) == ("claim", "mostly")


def test_a_negation_denies_what_the_statements_deny() -> None:
    assert verify("The tissue is not stated in 12 runs.", STATED) == []
    assert verify("The host is not Ixodes in 12 runs.", STATED)


@pytest.mark.parametrize(
    "words", ["run runs", "carry carries carried", "study studies", "virus viruses"]
)
def test_forms_of_a_word_have_one_stem(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1
