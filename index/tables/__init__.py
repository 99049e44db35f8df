"""Contracts of every table of the index; their descriptions become COMMENTs in the file.

Identifiers are CURIEs or accessions, never row numbers; ``name`` alone points to rows, for its
size. A column that names another table's key says so. A module holds the contracts of one part of
the path from records to answers; everything imports them from here. The ontology tables (Term,
Synonym, TermEdge, Xref, Closure, Release, Rejected) are owned by ``ontology_etl.tables``.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy

from index.facets import CITATION_KEYS, ENTITY_KINDS, FACETS, FACT_FACETS
from index.tables.associations import (
    BATCH_LIKE,
    DESIGN,
    DUPLICATE_OF,
    KMER_SOURCE,
    AssociationTest,
    MetaAssociation,
)
from index.tables.graph import (
    Annotation,
    Community,
    CommunityMember,
    Entity,
    Relationship,
    UngroundedText,
)
from index.tables.history import BuildEntry, PastAnswer, PastBuild, PastCitation, PastPoint
from index.tables.names import Name, VirusName
from index.tables.records import (
    Bioproject,
    Biosample,
    BiosampleAttribute,
    Detection,
    IndexedRun,
    KmerProfile,
    Place,
    Run,
    RunAttribute,
    RunState,
    SearchedRun,
    SearchMethod,
    SotuAlignment,
    SourceRows,
    SourceScope,
    StatHit,
    Study,
    StudyDesign,
    ViralSequence,
)
from index.tables.reports import (
    NO_STUDY,
    CommunityRisk,
    DangerousName,
    Embedding,
    Fact,
    GateDecision,
    Report,
    ReportCitation,
    ReportFinding,
    StudyRow,
    VirusRisk,
)
from index.tables.vectors import (
    NovelVirus,
    PredictedPair,
    UnlikelyPair,
    VirusNeighbourhood,
    VirusVector,
)
from index.tables.viruses import (
    KnownHost,
    OtherByKmers,
    Plausibility,
    RunPlausibility,
    Sequenced,
    SotuName,
    Virus,
)
from ontology_etl.tables import Closure, Rejected, Release, Synonym, Term, TermEdge, UsedTerm, Xref

TABLES: Final[dict[str, type[dy.Schema]]] = {
    "term": Term,
    "synonym": Synonym,
    "term_edge": TermEdge,
    "xref": Xref,
    "closure": Closure,
    "used_term": UsedTerm,
    "ontology_release": Release,
    "rejected": Rejected,
    "run": IndexedRun,
    "run_state": RunState,
    "biosample": Biosample,
    "biosample_attribute": BiosampleAttribute,
    "run_attribute": RunAttribute,
    "bioproject": Bioproject,
    "study": Study,
    "study_design": StudyDesign,
    "place": Place,
    "name": Name,
    "virus": Virus,
    "virus_name": VirusName,
    "sotu_name": SotuName,
    "known_host": KnownHost,
    "sequenced": Sequenced,
    "other_by_kmers": OtherByKmers,
    "run_plausibility": RunPlausibility,
    "plausibility": Plausibility,
    "detection": Detection,
    "viral_sequence": ViralSequence,
    "search_method": SearchMethod,
    "searched": SearchedRun,
    "source_scope": SourceScope,
    "source_rows": SourceRows,
    "stat_hit": StatHit,
    "kmer_profile": KmerProfile,
    "sotu_alignment": SotuAlignment,
    "annotation": Annotation,
    "ungrounded": UngroundedText,
    "entity": Entity,
    "relationship": Relationship,
    "community": Community,
    "community_member": CommunityMember,
    "fact": Fact,
    "novel_virus": NovelVirus,
    "virus_vector": VirusVector,
    "predicted_pair": PredictedPair,
    "unlikely_pair": UnlikelyPair,
    "virus_neighbourhood": VirusNeighbourhood,
    "association": AssociationTest,
    "meta_association": MetaAssociation,
    "virus_risk": VirusRisk,
    "community_risk": CommunityRisk,
    "dangerous_name": DangerousName,
    "gate_decision": GateDecision,
    "report": Report,
    "finding": ReportFinding,
    "citation": ReportCitation,
    "study_row": StudyRow,
    "embedding": Embedding,
    "answer": PastAnswer,
    "point": PastPoint,
    "answer_citation": PastCitation,
    "build": BuildEntry,
    "past_build": PastBuild,
}
"""Every table in the order in which a build fills them."""
HISTORY: Final = ("answer", "point", "answer_citation")
"""Tables that grow with use: they are no part of what a build makes of its inputs."""
CARRIED: Final = (*HISTORY, "past_build")
"""Tables carried over from the index before: two builds of the same inputs differ in them."""
