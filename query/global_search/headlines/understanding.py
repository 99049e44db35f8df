"""What of a question was not understood, and how doubtful names were read."""

from __future__ import annotations

from index.reports.phrases import listed
from query.global_search.headlines.which_of import candidates
from query.reading.intent import is_asking_word, is_stop_word, words_of
from query.reading.question import Question
from query.reading.reading import proposal_text


def understanding(question: Question) -> str:
    """Return what of the question was not understood, and how doubtful names were read.

    Empty where there is nothing to say of either.
    """
    reading = question.reading
    sentences = []
    besides = [one for one in question.absent if one not in question.missing]
    besides = [one for one in besides if one not in candidates(question)]
    sentences += [f"No run of the index is annotated with {one.name}." for one in besides]
    if reading.kind == "compare" and not reading.sides:
        why = "nothing stands against it" if besides else "the question names one group only"
        sentences.append(f"Nothing is compared, because {why}.")
    viruses = [one for one in (*reading.subjects, *reading.without) if one.group == "virus"]
    several = [one for one in viruses if " or " in one.label]
    sentences += [f"“{one.text}” may mean {one.label}; all are counted." for one in several]
    if reading.proposed:
        sentences.append(proposal_text(reading.proposed))
    if reading.setting and not _is_all_heeded(reading.setting, question):
        sentences.append(f"Read as said beside the question: “{reading.setting}”.")
    if reading.source:
        sentences.append(f"Only what {reading.source} searched and found is counted.")
    if reading.only_wording:
        words = listed([f"“{word}”" for word in reading.only_wording])
        sentences.append(f"Taken for wording only: {words}.")
    if reading.not_understood:
        words = listed([f"“{word}”" for word in reading.not_understood])
        sentences.append(f"Not understood, and not part of these counts: {words}.")
    sentences += [f"Did you mean {name} for “{word}”?" for word, name in reading.proposals]
    return " ".join(sentences)


def _is_all_heeded(setting: str, question: Question) -> bool:
    """Return whether each telling word of what is said beside ``question`` is of a name that it is
    read with: placenta: which viruses?
    """
    named = [*question.mentions, *question.absent, *question.reading.without]
    names = {word.lower() for one in named for word in words_of(one.text)}
    words = [word.lower() for word in words_of(setting)]
    return all(word in names or is_stop_word(word) or is_asking_word(word) for word in words)
