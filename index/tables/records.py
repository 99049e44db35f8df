"""Contracts of records: runs, samples, projects and what was found in them, as sources say it."""

from __future__ import annotations

import dataframely as dy

from ontology_etl.curies import CURIE


class Run(dy.Schema):
    """A sequencing run of the Sequence Read Archive."""

    run = dy.String(
        primary_key=True, description="SRA run accession (SRR, ERR, DRR; SYN for synthetic)"
    )
    biosample = dy.String(
        nullable=True,
        description="BioSample accession; null for the many runs whose sample is unknown, so LEFT "
        "JOIN biosample; for attributes join stated_attribute, which also covers such runs",
    )
    bioproject = dy.String(
        nullable=True,
        description="BioProject accession; null for many runs, which may have a study",
    )
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
    release_date = dy.Date(
        nullable=True,
        description="day the run became public; null for most runs: count only runs that state it",
    )


class IndexedRun(Run):
    """A sequencing run of the Sequence Read Archive."""

    state = dy.Int64(description="row of run_state: what is known about the run")


class RunState(dy.Schema):
    """What a set of runs has in common: what they state, which sources searched them for viruses,
    and whether any was found.
    """

    state = dy.Int64(primary_key=True, description="number derived from the other columns")
    facets_stated = dy.String(
        nullable=True,
        description="facets the runs have annotations for, as |host|tissue|; null if none",
    )
    searches = dy.String(
        nullable=True,
        description="virus searches that covered the runs, as |source/search|source/search|; null "
        "if none",
    )
    has_virus = dy.Bool(description="whether a virus was found in each of them")
    has_confirmed_virus = dy.Bool(
        description="whether a virus was found in each of them at 90% identity or more, with no "
        "congener that explains its reads"
    )


class Biosample(dy.Schema):
    """A biological sample."""

    biosample = dy.String(primary_key=True, description="BioSample accession")
    title = dy.String(nullable=True, description="title as submitted")


class BiosampleAttribute(dy.Schema):
    """One attribute of a sample as the submitter wrote it."""

    biosample = dy.String(primary_key=True, description="BioSample accession")
    attribute = dy.String(primary_key=True, description="attribute name as submitted")
    value = dy.String(primary_key=True, description="value as submitted, unchanged")


class RunAttribute(dy.Schema):
    """One attribute of the run itself, as its data set states it; its sample may be unknown.

    A run has these in addition to the attributes of its sample.
    """

    run = dy.String(primary_key=True, description="run accession")
    attribute = dy.String(primary_key=True, description="attribute name as stated")
    value = dy.String(primary_key=True, description="value as stated, unchanged")


class Bioproject(dy.Schema):
    """A project of the INSDC archives."""

    bioproject = dy.String(primary_key=True, description="BioProject accession")
    title = dy.String(nullable=True, description="title as submitted")
    description = dy.String(nullable=True, description="abstract as submitted")


class Study(dy.Schema):
    """A study as the SRA names it; not a BioProject."""

    study = dy.String(primary_key=True, description="SRA study accession (SRP, ERP, DRP)")
    title = dy.String(nullable=True, description="title as submitted")
    abstract = dy.String(nullable=True, description="abstract as submitted")


class StudyDesign(dy.Schema):
    """How a study was set up, as stated in its texts or samples; unknown if not stated."""

    study = dy.String(
        primary_key=True, description="BioProject of the runs, else their SRA study: run.bioproject"
    )
    design = dy.String(
        primary_key=True,
        description="cell culture, experimental infection, metagenome, patients or field "
        "samples, or surveillance",
    )
    source = dy.String(
        primary_key=True,
        description="where it is said: title, abstract, or an attribute of samples",
    )
    words = dy.String(description="words that state the design")
    runs = dy.Int64(min=1, description="runs it applies to: all of the study for title or abstract")
    study_runs = dy.Int64(min=1, description="runs of the study")


class Place(dy.Schema):
    """Where a sample was taken, as the sources say. The place of a run without a sample is in
    stated_attribute, and that of every run in annotation (facet geography).
    """

    biosample = dy.String(primary_key=True, description="BioSample accession")
    country = dy.String(nullable=True, description="country or sea, first part of geo_loc_name")
    biome = dy.String(nullable=True, description="biome or habitat")
    latitude = dy.Float64(nullable=True, min=-90, max=90, description="degrees north")
    longitude = dy.Float64(nullable=True, min=-180, max=180, description="degrees east")


class Detection(dy.Schema):
    """A virus seen in a run, above the thresholds; a run has one row per sOTU and source.

    A threshold judges a virus by its best segment; its other segments have rows of their own, so
    count distinct runs, never rows.
    """

    run = dy.String(primary_key=True, description="run accession")
    sotu = dy.String(
        primary_key=True,
        description="virus sOTU (palmprint centroid) or RefSeq accession; for a classifier, txid "
        "plus the taxid, or a name; for an unnamed virus, the contig; the phylum name where a "
        "search gives nothing finer",
    )
    virus = dy.String(
        nullable=True,
        regex=CURIE,
        description="viral taxon that its name resolves to, or its sOTU's evidence shows "
        "(sotu_name); null if none. A virus and its species are two taxa: see virus.virus",
    )
    reported_name = dy.String(
        nullable=True, description="virus as the source names it, whatever the column stated says"
    )
    nearest = dy.String(
        nullable=True,
        description="virus that the source names the sOTU after without stating an identity: it "
        "may be only a distant relative, so do not use it as the name of the sOTU; otherwise null",
    )
    species = dy.String(
        nullable=True,
        description="scientific name of the virus species; null if the identity is below 90% or "
        "unknown, or a congener explains the reads: to count a virus, use stated or virus",
    )
    stated = dy.String(
        nullable=True,
        description="what may be said of it: the species (at least 90% identity; at least 80% for "
        "aligned reads that are near no other species of the genus in the run; or an sOTU named "
        "by its evidence); X-like (lower identity; X is its genus or family); reported as X "
        "(identity unknown); or G reads closest to X (G is its genus), if a congener has over 20 "
        "times the reads in the run",
    )
    taxon = dy.String(
        nullable=True,
        regex=CURIE,
        description="taxon named in stated: species, genus or family; differs from virus for "
        "strains, and where stated names no species",
    )
    closest = dy.String(
        nullable=True,
        regex=CURIE,
        description="viral taxon that the reads are closest to, set only where a congener has "
        "over 20 times as many reads in the run, so that this taxon is not stated; "
        "else null",
    )
    congener = dy.String(
        nullable=True,
        regex=CURIE,
        description="viral taxon of the same genus that has more reads in the run by this "
        "source (if several, the one with the most); null where there is none, and "
        "for assembled contigs",
    )
    congener_ratio = dy.Float64(
        nullable=True,
        min=1,
        description="reads of the congener per read of this virus, summed over segments",
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
        nullable=True,
        min=0,
        max=100,
        description="score of the source, 0-100 (that of Serratus, or a share times 100: geNomad, "
        "VirSorter2, Logan Search); null where it has none",
    )
    source = dy.String(
        primary_key=True, description="palm_virome, serratus_nt, serratus_rdrp or another"
    )


class ViralSequence(dy.Schema):
    """A viral sequence that is not a read: an assembly contig or a GenBank record.

    What several programs say of one contig is in a row each. A row by itself is not a detection.
    """

    source = dy.String(primary_key=True, description="program or archive that describes it")
    sequence = dy.String(primary_key=True, description="name of the contig, or its accession")
    run = dy.String(
        nullable=True, description="run it was assembled from; null where none is named"
    )
    biosample = dy.String(nullable=True, description="BioSample accession; null where unknown")
    reported_name = dy.String(nullable=True, description="virus as the source names it")
    virus = dy.String(nullable=True, regex=CURIE, description="viral taxon that the source gives")
    family = dy.String(nullable=True, description="virus family; null where unknown")
    virus_group = dy.String(
        nullable=True, description="kind of virus where no taxon is named, e.g. RNA, ssDNA"
    )
    nearest = dy.String(nullable=True, description="accession of the nearest known sequence")
    identity = dy.Float64(
        nullable=True, min=0, max=100, description="identity to the nearest, percent"
    )
    score = dy.Float64(nullable=True, min=0, max=100, description="viral score, 0-100")
    length = dy.Int64(nullable=True, min=0, description="bases")
    quality = dy.String(nullable=True, description="how complete it is, in the source's words")
    completeness = dy.Float64(
        nullable=True, min=0, max=100, description="estimated completeness, percent"
    )


class SearchMethod(dy.Schema):
    """How a source of detections searches: what its numbers mean, and below which threshold it
    reports nothing.
    """

    source = dy.String(primary_key=True, description="source of detections: detection.source")
    method = dy.String(description="how viruses are found, e.g. reads classified by k-mers")
    evidence = dy.String(description="what is counted: reads, contigs or k-mers")
    identity = dy.String(
        nullable=True, description="what identity refers to; null if the source gives none"
    )
    cut = dy.String(
        nullable=True, description="threshold below which nothing is reported; null if unknown"
    )


class SearchedRun(dy.Schema):
    """A run that a source of detections searched: a virus within that search's scope that is not
    reported there was not found. searched_for(taxon) gives the runs searched for one virus.

    A run that is absent was not searched, which says nothing about its viruses, and neither does a
    search whose scope (``source_scope``) lacks the virus. A run has a row per search.
    """

    run = dy.String(primary_key=True, description="run accession")
    source = dy.String(
        primary_key=True, description="source of detections that looked at it: detection.source"
    )
    search = dy.String(
        primary_key=True,
        description="one search of the source: the file or extract that lists what it found; what "
        "it can find is in source_scope",
    )


class SourceScope(dy.Schema):
    """A virus that a search can find; about others, a run without a detection says nothing.

    A share of searched runs is of those that ``searched_for(taxon)`` returns.
    """

    source = dy.String(primary_key=True, description="source of detections: detection.source")
    search = dy.String(primary_key=True, description="one search of the source: searched.search")
    virus = dy.String(
        primary_key=True,
        regex=CURIE,
        description="viral taxon it can find; NCBITaxon:10239 (Viruses): everything",
    )
    below = dy.Bool(
        description="true: all taxa below are searched for, too; false: something within the "
        "taxon is searched for, but it is not known what"
    )
    family = dy.String(nullable=True, description="virus family of the taxon; null above family")


class SourceRows(dy.Schema):
    """Rows of each table of each input: rows_read = rows_kept + rows_rejected."""

    source = dy.String(primary_key=True, description="file the rows came from")
    format = dy.String(primary_key=True, description="layout that the table was read as")
    rows_read = dy.Int64(min=0, description="rows of the table")
    rows_kept = dy.Int64(
        min=0, description="rows that yielded a record or repeat one from another row"
    )
    rows_rejected = dy.Int64(
        min=0,
        description="unused rows, including those below a threshold; reasons: see rejected",
    )


class StatHit(dy.Schema):
    """Share of a run's k-mers that NCBI STAT assigns to a taxon."""

    run = dy.String(primary_key=True, description="run accession")
    curie = dy.String(primary_key=True, regex=CURIE, description="taxon")
    share = dy.Float64(
        min=0, max=1, description="k-mers of the taxon / all k-mers STAT assigned in the run, 0-1"
    )


class KmerProfile(dy.Schema):
    """Share of a run's k-mers in a taxon; only taxa at the graph's rank and above its minimum
    share.
    """

    run = dy.String(primary_key=True, description="run accession")
    curie = dy.String(primary_key=True, regex=CURIE, description="taxon at rank graph.stat_rank")
    share = dy.Float64(
        min=0,
        max=1,
        description="as listed in stat_hit; for a taxon not listed there, the sum of the taxa "
        "below it",
    )


class SotuAlignment(dy.Schema):
    """Similarity of two virus sOTUs."""

    sotu_a = dy.String(primary_key=True, description="sOTU, lexically the smaller")
    sotu_b = dy.String(primary_key=True, description="sOTU")
    identity = dy.Float64(min=0, max=1, description="identity of the palmprints, 0-1")
