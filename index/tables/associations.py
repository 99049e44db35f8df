"""Contracts of associations: metadata values against the abundance of virus families."""

from __future__ import annotations

from typing import Final

import dataframely as dy

from ontology_etl.curies import CURIE

BATCH_LIKE: Final = "batch-like field"
"""Flag of an association whose attribute records handling rather than biology: no finding."""
KMER_SOURCE: Final = "ncbi_stat"
"""Source of the amounts that are compared where the graph is of k-mer profiles."""
DUPLICATE_OF: Final = "duplicate of "
"""Start of the flag of an association whose groups another attribute makes too."""


DESIGN: Final = "design of the study"
"""Flag of an association whose attribute the experiment set itself: no finding."""


class AssociationTest(dy.Schema):
    """One MWAS test: a metadata value against the abundance of a virus family in a bioproject.

    What is counted are biosamples; a run that names none is a sample of its own.
    """

    bioproject = dy.String(
        primary_key=True, description="BioProject accession, or SRA study of runs without one"
    )
    family = dy.String(
        primary_key=True,
        description="virus family; in a k-mer profile index, the taxon counted by k-mers",
    )
    attribute = dy.String(primary_key=True, description="attribute name")
    value = dy.String(primary_key=True, description="attribute value of the true group")
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
        nullable=True, min=0, description="biosamples of either group in which the family is found"
    )
    found_true = dy.Int64(
        nullable=True,
        min=0,
        description="of these, biosamples with the value; null where reads are compared",
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
    test = dy.String(
        description="permutation, welch, fisher (on presence, if no run of the project states its "
        "spots) or imported"
    )
    test_statistic = dy.Float64(
        nullable=True,
        description="difference of means (permutation), t (welch), difference of the shares of "
        "biosamples with the family (fisher)",
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
        nullable=True,
        min=0,
        max=1,
        description="two-sided Mann-Whitney p, by permutation if test is welch",
    )
    ci_low = dy.Float64(
        nullable=True,
        description="lower end of the 95% confidence interval for the difference of means, RPM",
    )
    ci_high = dy.Float64(nullable=True, description="upper end, RPM")
    flag = dy.String(nullable=True, description="reasons for caution, ;-separated; null if none")
    split = dy.String(
        nullable=True,
        description="digest of the two groups: project rows that share it are one test; null for "
        "published rows, whose groups are unknown",
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
        min=0, description="bioprojects whose effect has the same sign as the combined one"
    )
    num_true = dy.Int64(min=0, description="biosamples with the term, over all projects")
    num_false = dy.Int64(min=0, description="biosamples with another term, over all projects")
    effect = dy.Float64(description="combined standardised difference of mean RPM, Hedges' g")
    ci_low = dy.Float64(description="lower end of its 95% interval, Hartung-Knapp")
    ci_high = dy.Float64(description="upper end")
    i_squared = dy.Float64(
        min=0, max=1, description="share of between-project variation not due to chance"
    )
    p_value = dy.Float64(
        min=0, max=1, description="two-sided, t with projects - 1 degrees of freedom"
    )
    q_value = dy.Float64(min=0, max=1, description="Benjamini-Hochberg over all combined effects")
