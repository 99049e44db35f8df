"""The phrases that ask for a table: measures, rows, thresholds, orders."""

from __future__ import annotations

import re
from typing import Final

from query.reading.measured.amounts import BEFORE
from query.sql_search.tables.nouns import AGGREGATE, COLUMN, NOUN, NUMBER

EACH: Final = r"(?:each|every|any|a single|one|a)"
PER: Final = r"(?:(?:for|in|of|from|by|within|across|on)? ?(?:each|every)|per|by|across(?: the)?)"
MANY: Final = r"(?:the )?(?:total )?(?:how many|numbers? of|counts? of|no\. of)"
MOST: Final = r"(?:most (?:common|frequent|abundant|prevalent|often (?:found|seen))|commonest)"
LARGEST: Final = (
    r"(?:most|(?:largest|highest|greatest|biggest) (?:number|count|variety|range|diversity) of)"
)
FEWEST: Final = r"(?:fewest|least|(?:smallest|lowest) (?:number|count|variety|range) of)"
OPENING: Final = re.compile(
    r"^(?:(?:please|can you|could you|what (?:is|are|was|were)|which(?= (?:of|\w+ \w+))"
    r"|what(?= (?:share|fraction|proportion|percent))|export|print|select|group|split"
    r"|break (?:down|up)|(?:breakdown|distribution|matrix|contingency table|summary) of"
    r"|give(?: me)?|show(?: me)?"
    r"|list|tabulate|tally|display|make|create|produce|build|i (?:want|need)|cross-?tab(?:ulate)?"
    r"|rank|sort|find|get|return|write|an?|the|all|sql (?:for|of)|cross-?tab\w*(?: of)?"
    r"|(?:cross-?)?tables? (?:of|with|that (?:gives|shows|lists)|showing|listing)"
    r"|overview of)\b[ :,]*)+"
)
ALPHABETICAL: Final = re.compile(
    r",?\s*(?:(?:and )?(?:sorted|ordered|listed|ranked) )?"
    r"(?:(?:in )?alphabetical(?:ly| order)(?: by (?:name|\w+))?|by name|from a to z|a to z)"
)
ASCENDING: Final = re.compile(
    r",?\s*(?:(?:and )?(?:sorted|ordered|listed|ranked) )?(?:with )?(?:the )?"
    r"(?:(?:fewest|least|smallest|lowest|rarest)(?: \w+)? first|(?:in )?ascending(?: order)?)"
)
DESCENDING: Final = re.compile(
    r",?\s*(?:(?:and )?(?:sorted|ordered|listed|ranked) )?(?:with )?(?:the )?"
    r"(?:(?:most|largest|biggest|highest)(?: (?:common|frequent|\w+))? first"
    r"|(?:in )?descending(?: order)?)"
)
RANKED_BY: Final = re.compile(
    rf",?\s*(?:(?:ranked|sorted|ordered) )?by (?:(?:the|their) )?(?:numbers?|counts?) of"
    rf"(?: the)? (?P<noun>{NOUN})"
    r"(?P<tail>(?: (?:that|which|in which|where|they|it|are|is|were|was|have|has|occur|occurs"
    r"|found|seen|detected|carry|carries|in|from|with|them|both|together|co-?occur\w*)\b)*)"
)
TOP: Final = re.compile(rf"^(?:the )?(?:top|first) (?P<number>{NUMBER})\b ?")
NUMBERED: Final = re.compile(
    rf"^(?:the )?(?P<number>{NUMBER}) (?=(?:most|largest|biggest|{NOUN}|§))"
)
PAIRS: Final = re.compile(
    rf"(?:the )?(?:{MOST} )?(?:(?:co-?occurring|co-?detected) )?"
    rf"(?:(?:pairs|combinations) of (?:two )?(?:{MOST} )?(?:co-?occurring )?(?P<of>{NOUN})"
    rf"|(?P<before>{NOUN}) (?:pairs|combinations)"
    rf"|(?:which )?(?:two )?(?P<which>{NOUN})"
    r"(?= (?:most \w+ )?(?:co-?occur|occur together|are (?:most \w+ )?(?:found|seen) together)"
    r"(?! with)))"
)
TOGETHER: Final = re.compile(
    r" (?:that |which )?shar(?:e|es|ing) (?:the )?most (?:runs|samples)|"
    r"(?: (?:that|which|are|is|were|found|seen|detected|most|often|frequently|commonly"
    r"|co-?occur\w*|occur\w*|together))+"
    r"(?: in (?:the )?(?:same|one|a single) (?:runs?|samples?))?"
    r"|(?:^| )(?:in )?(?:the )?same (?:runs?|samples?)"
)
AGGREGATED: Final = re.compile(
    rf"(?:the )?(?P<how>{AGGREGATE}) (?:of )?(?:the )?(?:values? of )?(?:(?:numbers?|counts?) of )?"
    rf"(?:(?P<column>{COLUMN})\b|(?P<noun>{NOUN}) (?:per|(?:in|of|from) {EACH}|in one)"
    r" (?:runs?|samples?)\b)"
)
COUNTED: Final = re.compile(rf"(?:^|(?<=[ ,:]))(?:count )?{MANY} (?P<noun>{NOUN})\b")
COUNT: Final = re.compile(rf"^(?:count|counts of) (?:the )?(?P<noun>{NOUN})\b")
SUPERLATIVE: Final = re.compile(
    rf"(?:(?:that|which) )?(?:(?:are|is) )?(?:found |seen |detected |occur(?:s|ring)? )?"
    rf"(?:with|in|from|has|have|having|carry|carries|carrying|infects?|infecting|by|across) "
    rf"(?:the )?(?:(?P<most>{LARGEST})|(?P<fewest>{FEWEST})) (?P<noun>{NOUN})\b"
)
HAVING: Final = re.compile(
    r"(?:(?:that|which) )?(?:(?:are |were )?(?:found|seen|detected|present) |occur(?:s|ring)? )?"
    r"(?:with|have|has|having|carry|carrying|hold|holding|of|in|from|includ(?:e|ing)|contain(?:ing)?"
    r"|comprising|spanning|infecting) "
    rf"(?:(?P<sign>{BEFORE}) )?(?P<number>{NUMBER})(?P<more> or (?:more|fewer|less))? "
    rf"(?P<noun>{NOUN})\b"
)
GROUPED: Final = re.compile(
    rf"\b(?:(?:broken down|grouped|split|separately) )?{PER} (?:the )?(?P<first>{NOUN})"
    rf"(?:(?: and|,| by| and by| per| and per|/| x|×| versus| against)(?: each)? "
    rf"(?P<second>{NOUN}))?\b"
)
HEAD: Final = re.compile(rf"^(?:which |all |the )*(?P<noun>{NOUN})\b")
TITLES: Final = re.compile(
    r",?(?: (?:and|with))* (?:and )?(?:the(?:ir)? )?titles?\b(?:,| and(?= (?:the )?number))?"
)
WITH_COUNT: Final = re.compile(
    rf",?(?: (?:with|and|together with|plus))* (?:(?:the|their) )?(?:numbers?|counts?) of "
    rf"(?P<noun>{NOUN})\b"
)


WITH_COUNTS: Final = re.compile(
    r"[.?!;,]?\s*(?:with|and|including|incl\.?|plus|show(?:ing)?) (?:the |their )?(?:run )?"
    r"(?:counts?|numbers?)(?: of runs)?$"
)
"""Asks for the numbers that each row has anyway."""
ONLY_ROWS: Final = re.compile(
    r",? ?(?:but )?(?:only|keep(?:ing)?(?: only)?|limited to|restricted to|considering(?: only)?)"
    rf" (?:for )?(?:the |those )?(?:{NOUN})(?= (?:with|having|that|of|found|seen))"
)
"""Before a threshold, names again what the rows are."""
ONE: Final = re.compile(
    r"^(?:which|what|what is the|the) (?:virus |viral )?"
    r"(?:family|virus|host|tissue|disease|country|place|(?:bio)?project|study|biome|environment|year|sotu"
    r"|run|accession|sample|library|data ?set)"
    r"\b(?! famil| species)(?=.*\b(?:most|fewest|largest|smallest|highest|lowest|greatest)\b)"
)
