"""Contracts of every table of the index (DESIGN section 3). Descriptions become COMMENTs in the
DuckDB file.

Identifiers are CURIEs or accessions, never row numbers. A column that names another table's key
says so. The ontology tables (Term, Synonym, TermEdge, Xref, Closure, Release, Rejected) are owned
by ``ontology_etl.tables``.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy

from index.facets import CITATION_KEYS as CITATION_KEYS
from index.facets import ENTITY_KINDS as ENTITY_KINDS
from index.facets import FACETS as FACETS
from index.facets import FACT_FACETS as FACT_FACETS
from ontology_etl.curies import CURIE
from ontology_etl.tables import Closure, Rejected, Release, Synonym, Term, TermEdge, Xref


def _one_of(values: tuple[str, ...]) -> str:
    return f"^({'|'.join(values)})$"


# --- records --------------------------------------------------------------------------------------------------------


class Run(dy.Schema):
    """A sequencing run of the Sequence Read Archive."""

    run = dy.String(
        primary_key=True, description="SRA run accession (SRR, ERR, DRR; SYN for synthetic)"
    )
    biosample = dy.String(nullable=True, description="BioSample accession")
    bioproject = dy.String(nullable=True, description="BioProject accession")
    study = dy.String(nullable=True, description="SRA study accession (SRP, ERP, DRP)")
    organism = dy.String(nullable=True, description="organism as submitted")
    organism_curie = dy.String(
        nullable=True, regex=CURIE, description="taxon the organism grounds to"
    )
    library_strategy = dy.String(nullable=True, description="e.g. RNA-Seq, WGS")
    library_source = dy.String(
        nullable=True, description="what was sequenced, e.g. TRANSCRIPTOMIC, METAGENOMIC"
    )
    spots = dy.Int64(nullable=True, min=0, description="reads or read pairs; null where unknown")
    bases = dy.Int64(nullable=True, min=0, description="bases; null where unknown")
    release_date = dy.Date(nullable=True, description="day the run became public")


class Biosample(dy.Schema):
    """A biological sample."""

    biosample = dy.String(primary_key=True, description="BioSample accession")
    title = dy.String(nullable=True, description="title as submitted")


class BiosampleAttribute(dy.Schema):
    """One attribute of a sample as the submitter wrote it."""

    biosample = dy.String(primary_key=True, description="BioSample accession")
    attribute = dy.String(primary_key=True, description="attribute name as submitted")
    value = dy.String(primary_key=True, description="value as submitted, unchanged")


class Bioproject(dy.Schema):
    """A project of the INSDC archives."""

    bioproject = dy.String(primary_key=True, description="BioProject accession")
    title = dy.String(nullable=True, description="title as submitted")
    description = dy.String(nullable=True, description="abstract as submitted")


class Virus(dy.Schema):
    """A viral taxon that a detection names, with its lineage."""

    virus = dy.String(primary_key=True, regex=CURIE, description="taxon, e.g. NCBITaxon:10298")
    name = dy.String(description="scientific name of the taxon")
    rank = dy.String(nullable=True, description="rank of the taxon; null where it has none")
    ictv_name = dy.String(nullable=True, description="species as ICTV's master list names it")
    abbreviation = dy.String(
        nullable=True, description="abbreviations ICTV lists for the species, ;-separated"
    )
    species = dy.String(
        nullable=True, description="species it is or belongs to; null above species"
    )
    genus = dy.String(nullable=True, description="genus of its lineage")
    family = dy.String(nullable=True, description="family of its lineage, today's name")
    order = dy.String(nullable=True, description="order of its lineage; quote it in SQL")
    phylum = dy.String(nullable=True, description="phylum of its lineage")
    realm = dy.String(nullable=True, description="realm of its lineage")
    genome = dy.String(
        nullable=True,
        description="genome type at ICTV, e.g. ssRNA(+): of its species, else of its whole genus or "
        "family where all agree",
    )
    hosts_recorded = dy.String(
        nullable=True, description="host sources ICTV states for its species, ;-separated"
    )


class KnownHost(dy.Schema):
    """A host that a virus is recorded in; a group of hosts (vertebrates) by its taxon."""

    virus = dy.String(primary_key=True, regex=CURIE, description="viral taxon")
    host = dy.String(
        primary_key=True, regex=CURIE, description="host, or taxon of a group of hosts"
    )
    source = dy.String(
        primary_key=True, description="virion, or the ontology whose host groups say so"
    )


class Plausibility(dy.Schema):
    """A virus and a host that runs carry together, and how expected that is."""

    virus = dy.String(primary_key=True, regex=CURIE, description="viral taxon that is stated")
    host = dy.String(
        primary_key=True, regex=CURIE, description="host, or the virus a library is labelled with"
    )
    plausibility = dy.String(
        primary_key=True,
        regex="^(recorded|new within class|unexpected|resident|library|unknown)$",
        description="recorded: the virus is known from the host or its group; new within class: "
        "from other hosts of its class; unexpected: from neither, so possibly contamination or a "
        "new host; resident: it lives in the cell line; library: the virus was sequenced itself; "
        "unknown: no host is recorded for the virus or its family",
    )
    runs = dy.Int64(min=1, description="distinct runs that carry both")


class VirusName(dy.Schema):
    """A name of a viral taxon beside its labels and synonyms in NCBI Taxonomy: ICTV's, reviewed
    ones, abbreviations, and names the taxonomy gives to another taxon that is the same virus.
    """

    key = dy.String(
        primary_key=True, description="what names are compared by: folded, no blanks, no hyphens"
    )
    name = dy.String(primary_key=True, min_length=1, description="the name as it is written")
    virus = dy.String(primary_key=True, regex=CURIE, description="taxon it names")
    kind = dy.String(
        primary_key=True,
        regex="^(everyday|label|synonym|name|former|abbreviation)$",
        description="everyday (reviewed), label or synonym (taxonomy), name or former name (ICTV), "
        "abbreviation",
    )


class Name(dy.Schema):
    """A name of a term that questions are read with, looked up by its first letters.

    Left out are scientific names of species that no run carries and nothing else names.
    """

    start = dy.String(primary_key=True, description="first three letters of the name in lower case")
    name = dy.String(primary_key=True, description="the name as its ontology spells it")
    curie = dy.String(primary_key=True, regex=CURIE, description="term it names")
    scope = dy.String(
        primary_key=True,
        regex="^(LABEL|EXACT|NARROW|BROAD|RELATED)$",
        description="LABEL for the preferred name, else the OBO scope of the synonym",
    )
    ontology = dy.String(description="ontology of the term")
    rank = dy.String(nullable=True, description="rank of the term; null outside NCBI Taxonomy")
    obsolete = dy.Bool(description="true for a retired identifier")
    replaced_by = dy.String(
        nullable=True, regex=CURIE, description="live identifier an obsolete one resolves to"
    )


class Study(dy.Schema):
    """A study as the SRA names it; not a BioProject."""

    study = dy.String(primary_key=True, description="SRA study accession (SRP, ERP, DRP)")
    title = dy.String(nullable=True, description="title as submitted")
    abstract = dy.String(nullable=True, description="abstract as submitted")


class Detection(dy.Schema):
    """A virus seen in a run, above the thresholds; a run has one row per sOTU and source.

    A threshold judges a virus by its best segment; its other segments have rows of their own.
    """

    run = dy.String(primary_key=True, description="run accession")
    sotu = dy.String(
        primary_key=True, description="virus sOTU (palmprint centroid) or RefSeq accession"
    )
    virus = dy.String(
        nullable=True, regex=CURIE, description="viral taxon its name resolves to; null: to none"
    )
    reported_name = dy.String(nullable=True, description="virus as the source names it")
    species = dy.String(
        nullable=True, description="virus species; null where the identity does not support one"
    )
    stated = dy.String(
        nullable=True,
        description="what may be said of it: the species (identity of 90 % and more), X-like with "
        "its genus or family (below), reported as X (identity unknown)",
    )
    taxon = dy.String(
        nullable=True,
        regex=CURIE,
        description="taxon that stated is about: species, genus or family",
    )
    family = dy.String(nullable=True, description="virus family; null where unknown")
    phylum = dy.String(nullable=True, description="virus phylum; null where unknown")
    identity = dy.Float64(
        nullable=True, min=0, max=100, description="identity to the reference, percent"
    )
    coverage = dy.Float64(
        nullable=True, min=0, description="mean coverage of the palmprint contig, fold"
    )
    reads = dy.Int64(nullable=True, min=0, description="reads aligned")
    score = dy.Float64(
        nullable=True, min=0, max=100, description="Serratus score, 0-100; null for assemblies"
    )
    source = dy.String(primary_key=True, description="palm_virome or serratus_nt")


class Searched(dy.Schema):
    """A run that a source of detections looked at: a virus it does not report there was not found.

    A run that is absent was not searched, which says nothing about its viruses.
    """

    run = dy.String(primary_key=True, description="run accession")
    source = dy.String(
        primary_key=True, description="source of detections that looked at it: detection.source"
    )


class StatHit(dy.Schema):
    """Share of a run's k-mers that NCBI STAT assigns to a taxon."""

    run = dy.String(primary_key=True, description="run accession")
    curie = dy.String(primary_key=True, regex=CURIE, description="taxon")
    share = dy.Float64(
        min=0, max=1, description="k-mers of the taxon / all k-mers STAT assigned in the run, 0-1"
    )


class SotuAlignment(dy.Schema):
    """Similarity of two virus sOTUs."""

    sotu_a = dy.String(primary_key=True, description="sOTU, lexically the smaller")
    sotu_b = dy.String(primary_key=True, description="sOTU")
    identity = dy.Float64(min=0, max=1, description="identity of the palmprints, 0-1")


class Place(dy.Schema):
    """Where a sample was taken, as the sources say."""

    biosample = dy.String(primary_key=True, description="BioSample accession")
    country = dy.String(nullable=True, description="country or sea, first part of geo_loc_name")
    biome = dy.String(nullable=True, description="biome or habitat")
    latitude = dy.Float64(nullable=True, min=-90, max=90, description="degrees north")
    longitude = dy.Float64(nullable=True, min=-180, max=180, description="degrees east")


# --- annotations and graph ------------------------------------------------------------------------------------------


class Annotation(dy.Schema):
    """A grounded or verbatim metadata value of a run."""

    run = dy.String(primary_key=True, description="run accession")
    facet = dy.String(
        primary_key=True, regex=_one_of(FACETS), description="what the value describes"
    )
    value = dy.String(
        primary_key=True,
        min_length=1,
        description="label of the term, or cleaned text if ungrounded",
    )
    curie = dy.String(
        nullable=True, regex=CURIE, description="term; null where the text is kept verbatim"
    )
    text = dy.String(primary_key=True, description="text as submitted")
    attribute = dy.String(
        primary_key=True,
        description="where the text stood, e.g. organism, tissue, isolation_source",
    )
    method = dy.String(
        regex="^(dictionary|context|embedding|stat|verbatim)$", description="how it was grounded"
    )
    score = dy.Float64(
        min=0, max=1, description="1 for a dictionary hit, cosine for an embedding, share for STAT"
    )


class Ungrounded(dy.Schema):
    """A metadata value that was read for a facet and gave no annotation, with the runs that bear
    it.
    """

    facet = dy.String(
        primary_key=True, regex=_one_of(FACETS), description="facet the value was read for"
    )
    outcome = dy.String(
        primary_key=True, description="why: unknown, generic, negated, ambiguous, ..."
    )
    text = dy.String(primary_key=True, description="text as submitted")
    attributes = dy.String(description="attributes it stood in, comma-separated")
    runs = dy.Int64(min=1, description="distinct runs that bear it")


class Entity(dy.Schema):
    """A node of the graph."""

    entity = dy.String(primary_key=True, description="accession or CURIE")
    kind = dy.String(
        regex=_one_of(ENTITY_KINDS),
        description="what the node is: run, bioproject, sotu, host, ...",
    )
    label = dy.String(description="name to show")


class Relationship(dy.Schema):
    """A weighted undirected edge, one row per pair and predicate."""

    source = dy.String(primary_key=True, description="entity, lexically the smaller")
    target = dy.String(primary_key=True, description="entity, lexically the larger")
    predicate = dy.String(primary_key=True, description="relationship type, e.g. run-sotu")
    weight = dy.Float64(
        min_exclusive=0, allow_inf=False, allow_nan=False, description="strength, above 0"
    )


class Community(dy.Schema):
    """A cluster of the graph at one level of the hierarchy."""

    community = dy.String(
        primary_key=True, description="stable identifier: C, level, dash, short digest"
    )
    level = dy.Int32(min=0, description="0 is the coarsest")
    parent = dy.String(nullable=True, description="community one level up; null at level 0")
    runs = dy.Int64(min=0, description="distinct runs in it")
    entities = dy.Int64(min=1, description="entities of all kinds in it")
    previous = dy.String(
        nullable=True,
        description="communities of the previous index it comes from, comma-separated",
    )


class CommunityMember(dy.Schema):
    """Membership, at every level: every entity in exactly one community per level."""

    community = dy.String(primary_key=True, description="community")
    entity = dy.String(primary_key=True, description="entity")


# --- facts, associations, reports -----------------------------------------------------------------------------------


class Fact(dy.Schema):
    """A number about a community, computed in SQL over distinct runs."""

    community = dy.String(primary_key=True, description="community")
    facet = dy.String(
        primary_key=True, regex=_one_of(FACT_FACETS), description="what the value describes"
    )
    value = dy.String(primary_key=True, description="label of the term, name or accession")
    curie = dy.String(nullable=True, regex=CURIE, description="term of the value, if it has one")
    runs = dy.Int64(min=1, description="distinct runs of the community that have the value")
    share = dy.Float64(
        min=0, max=1, description="runs / runs of the community that have any value of the facet"
    )
    background_share = dy.Float64(min=0, max=1, description="the same share in the whole index")
    lift = dy.Float64(min=0, description="share / background_share")
    q_value = dy.Float64(
        min=0,
        max=1,
        description="hypergeometric upper tail, Benjamini-Hochberg over the index; 1: not tested",
    )
    rank = dy.Int32(
        min=1, description="1 is the strongest of its facet: by q_value, runs, lift, name"
    )


BATCH_LIKE: Final = "batch-like field"
"""Flag of an association whose attribute records handling rather than biology: no finding."""
COVERAGE_BASED: Final = "coverage-based abundance"
"""Flag of an association whose source has no read counts: contig coverage is used instead."""
DUPLICATE_OF: Final = "duplicate of "
"""Start of the flag of an association whose groups another attribute makes too."""


class Association(dy.Schema):
    """One MWAS test: a metadata value against the abundance of a virus family in a bioproject.

    What is counted are biosamples; a run that names none is a sample of its own.
    """

    bioproject = dy.String(primary_key=True, description="BioProject accession")
    family = dy.String(primary_key=True, description="virus family")
    attribute = dy.String(primary_key=True, description="attribute name")
    value = dy.String(primary_key=True, description="attribute value that defines the true group")
    curie = dy.String(
        nullable=True,
        regex=CURIE,
        description="term of the value; null for attributes as submitted",
    )
    num_true = dy.Int64(min=0, description="biosamples with the value")
    num_false = dy.Int64(
        min=0, description="biosamples of the project with another value of the attribute"
    )
    num_found = dy.Int64(
        nullable=True, min=0, description="biosamples of both groups that have the family"
    )
    mean_rpm_true = dy.Float64(
        nullable=True, description="mean reads per million spots, true group"
    )
    mean_rpm_false = dy.Float64(
        nullable=True, description="mean reads per million spots, false group"
    )
    sd_rpm_true = dy.Float64(nullable=True, description="standard deviation (n-1), true group")
    sd_rpm_false = dy.Float64(nullable=True, description="standard deviation (n-1), false group")
    fold_change = dy.Float64(
        nullable=True, description="log2 of the ratio of means, with pseudocount"
    )
    test = dy.String(description="permutation, welch or imported")
    test_statistic = dy.Float64(
        nullable=True, description="difference of means (permutation) or t (welch)"
    )
    p_value = dy.Float64(nullable=True, min=0, max=1, description="two-sided")
    q_value = dy.Float64(
        nullable=True,
        min=0,
        max=1,
        description="Benjamini-Hochberg over the index, per source; null: not corrected",
    )
    q_value_project = dy.Float64(
        nullable=True, min=0, max=1, description="the same within the project"
    )
    p_rank = dy.Float64(
        nullable=True, min=0, max=1, description="two-sided Mann-Whitney, permuted if welch"
    )
    ci_low = dy.Float64(
        nullable=True, description="lower end of the 95 % interval of the difference of means, RPM"
    )
    ci_high = dy.Float64(nullable=True, description="upper end, RPM")
    flag = dy.String(
        nullable=True, description="why to be careful, ;-separated; null where nothing was found"
    )
    split = dy.String(
        nullable=True,
        description="digest of the two groups: rows of a project that share it are one test",
    )
    source = dy.String(primary_key=True, description="computed, or the name of the imported file")


class MetaAssociation(dy.Schema):
    """One effect combined over projects: a virus family against an ontology term (random-effects
    meta-analysis).
    """

    family = dy.String(primary_key=True, description="virus family")
    attribute = dy.String(primary_key=True, description="grounded attribute, e.g. tissue (BTO)")
    curie = dy.String(
        primary_key=True, regex=CURIE, description="term that defines the true groups"
    )
    value = dy.String(description="label of the term")
    projects = dy.Int64(min=2, description="bioprojects combined")
    projects_agreeing = dy.Int64(
        min=0, description="bioprojects whose own effect has the sign of the combined one"
    )
    num_true = dy.Int64(min=0, description="biosamples with the term, over all projects")
    num_false = dy.Int64(min=0, description="biosamples with another term, over all projects")
    effect = dy.Float64(description="combined standardised difference of mean RPM, Hedges' g")
    ci_low = dy.Float64(description="lower end of its 95 % interval, Hartung-Knapp")
    ci_high = dy.Float64(description="upper end")
    i_squared = dy.Float64(
        min=0, max=1, description="share of the variation between projects that is not chance"
    )
    p_value = dy.Float64(
        min=0, max=1, description="two-sided, t with projects - 1 degrees of freedom"
    )
    q_value = dy.Float64(min=0, max=1, description="Benjamini-Hochberg over all combined effects")


class CommunityRisk(dy.Schema):
    """The risk group of a community, and the taxon and row of the register that decided it."""

    community = dy.String(primary_key=True, description="community")
    risk_group = dy.String(
        regex="^(RG[1-4]|unknown)$",
        description="highest human risk group of its viruses and organisms",
    )
    taxon = dy.String(
        nullable=True, regex=CURIE, description="agent that decided; null where a name alone did"
    )
    name = dy.String(nullable=True, description="its name; null where no agent is named")
    rule = dy.String(
        regex="^(listed|inherited|floor|floor only|members|unread|not listed|no agent)$",
        description="listed: a row of the register means the agent; inherited: one of its "
        "ancestors; floor: a row that says at least RG3 or RG4; floor only: rows that say at least "
        "RG1 or RG2, which clear nothing; members: it is above species and a member is listed "
        "higher; unread: the row's group cannot be read; not listed: no row means it; no agent: no "
        "agent is named",
    )
    row = dy.Int64(nullable=True, min=2, description="deciding row of the register, header counted")
    listed = dy.String(nullable=True, regex=CURIE, description="taxon that the row means")


class Report(dy.Schema):
    """What is said about a community."""

    community = dy.String(primary_key=True, description="community")
    title = dy.String(description="names the entities it is about")
    label = dy.String(description="two words: organism and topic")
    summary = dy.String(description="a few sentences with citations")
    rating = dy.Float64(min=0, max=10, description="strength of the evidence, 0-10")
    rating_explanation = dy.String(description="what the rating rests on")
    risk_group = dy.String(
        regex="^(RG[1-4]|unknown)$", description="highest risk group of its viruses and hosts"
    )
    model = dy.String(nullable=True, description="model that worded it; null for a template")
    method = dy.String(
        regex="^(template|llm|llm-partial)$", description="who worded it: facts alone, or a model"
    )
    facts_hash = dy.String(description="digest of the facts it was worded from")
    prompt_tokens = dy.Int64(min=0, description="tokens sent for it")
    completion_tokens = dy.Int64(min=0, description="tokens received for it")
    accepted = dy.Int64(min=0, description="model sentences that passed verification")
    repaired = dy.Int64(min=0, description="model sentences that passed after one repair turn")
    replaced = dy.Int64(min=0, description="model sentences replaced by their fact sentence")


class Finding(dy.Schema):
    """One finding of a report."""

    community = dy.String(primary_key=True, description="community")
    ordinal = dy.Int32(
        primary_key=True,
        min=1,
        description="1 is the first; 0 is reserved for the summary's citations",
    )
    summary = dy.String(description="one sentence")
    explanation = dy.String(description="sentences with numbers and citations")


class Citation(dy.Schema):
    """A citation of a report, resolved against the runs of its community."""

    community = dy.String(primary_key=True, description="community")
    ordinal = dy.Int32(
        primary_key=True, min=0, description="finding it stands in; 0 for the summary"
    )
    key = dy.String(primary_key=True, regex=_one_of(CITATION_KEYS), description="what is cited")
    value = dy.String(primary_key=True, description="value cited")
    runs = dy.Int64(min=0, description="distinct runs of the community it resolves to")
    verified = dy.Bool(description="true where runs > 0")


class Embedding(dy.Schema):
    """A unit vector of a text, all-MiniLM-L6-v2."""

    kind = dy.String(primary_key=True, description="report, finding or term")
    id = dy.String(primary_key=True, description="community, community#ordinal or CURIE")
    vector = dy.Array(
        dy.Float32(), 384, description="unit length, so the dot product is the cosine"
    )


# --- answers and the build ------------------------------------------------------------------------------------------


class Answer(dy.Schema):
    """A question that was asked of an earlier index, and what was answered (query/journal.py)."""

    answer = dy.String(primary_key=True, description="A-, digest of question, mode, text and time")
    question = dy.String(description="as asked")
    mode = dy.String(description="way of answering: global")
    text = dy.String(description="answer with its citations")
    asked_at = dy.String(description="UTC, ISO 8601")
    seconds = dy.Float64(min=0, description="time it took")
    model = dy.String(
        nullable=True, description="model that worded it; null where composed from facts"
    )
    prompt_tokens = dy.Int64(min=0, description="tokens sent for it")
    completion_tokens = dy.Int64(min=0, description="tokens received for it")
    runs_matching = dy.Int64(min=0, description="runs that match the question")
    runs_covered = dy.Int64(min=0, description="matching runs in the communities read")
    communities_read = dy.Int64(min=0, description="communities read for it")


class Point(dy.Schema):
    """One scored partial answer."""

    answer = dy.String(primary_key=True, description="answer")
    ordinal = dy.Int32(primary_key=True, min=1, description="1 is the best")
    community = dy.String(description="community it was read from, in the index of that time")
    description = dy.String(description="what it says")
    score = dy.Float64(min=0, max=100, description="0-100")


class AnswerCitation(dy.Schema):
    """A citation of a point, as it resolved when the question was asked."""

    answer = dy.String(primary_key=True, description="answer")
    ordinal = dy.Int32(primary_key=True, min=1, description="point it stands in")
    key = dy.String(primary_key=True, regex=_one_of(CITATION_KEYS), description="what is cited")
    value = dy.String(primary_key=True, description="value cited")
    runs = dy.Int64(min=0, description="distinct runs it resolved to")
    verified = dy.Bool(description="true where runs > 0")


class BuildEntry(dy.Schema):
    """How the index was made: versions, parameters, seeds, input hashes, timings, counts."""

    key = dy.String(
        primary_key=True, description="dotted name, e.g. counts.run, seconds.communities"
    )
    value = dy.String(description="as text; JSON where it has structure")


class PastBuild(dy.Schema):
    """What earlier builds of this index noted of themselves: their ``build`` tables."""

    published = dy.String(
        primary_key=True, description="UTC time of publishing, ISO 8601, or unknown"
    )
    key = dy.String(primary_key=True, description="as in build")
    value = dy.String(description="as in build")


TABLES: Final[dict[str, type[dy.Schema]]] = {
    "term": Term, "synonym": Synonym, "term_edge": TermEdge, "xref": Xref, "closure": Closure,
    "ontology_release": Release, "rejected": Rejected,
    "run": Run, "biosample": Biosample, "biosample_attribute": BiosampleAttribute, "bioproject": Bioproject,
    "study": Study,
    "place": Place, "name": Name, "virus": Virus, "virus_name": VirusName, "known_host": KnownHost,
    "plausibility": Plausibility, "detection": Detection, "searched": Searched,
    "stat_hit": StatHit, "sotu_alignment": SotuAlignment,
    "annotation": Annotation, "ungrounded": Ungrounded, "entity": Entity, "relationship": Relationship,
    "community": Community, "community_member": CommunityMember, "fact": Fact, "association": Association,
    "meta_association": MetaAssociation,
    "community_risk": CommunityRisk, "report": Report, "finding": Finding, "citation": Citation, "embedding": Embedding,
    "answer": Answer, "point": Point, "answer_citation": AnswerCitation, "build": BuildEntry,
    "past_build": PastBuild,
}  # fmt: skip
HISTORY: Final = ("answer", "point", "answer_citation")
"""Tables that grow with use: they are no part of what a build makes of its inputs."""
CARRIED: Final = (*HISTORY, "past_build")
"""Tables carried over from the index before: two builds of the same inputs differ in them."""
