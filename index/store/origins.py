"""Decide in SQL whether a run comes from a laboratory, or from patients or the field.

Evidence for a laboratory: words of a study (``study_design``) or of the run's sample
(``run_design``, a frame of run and design), a cell line, a laboratory mammal without a place where
it was caught, and many unrelated viruses at once (a control panel). Evidence for patients and field
samples: such words, or a tissue or body fluid of a person. If neither study nor sample says
anything, the origin is unknown.
"""

from __future__ import annotations

from typing import Final

CULTURE: Final = "cell culture"
INFECTION: Final = "experimental infection"
SAMPLED: Final = ("patients or field samples", "surveillance")
"""Designs of studies that took samples from patients or the field."""
KINDS: Final = {
    "infected": "from experimental infections",
    "cultured": "from cell cultures",
    "vector": "possibly from vectors or reagents",
    "panel": "from mixes of many viruses",
    "animal": "from laboratory rodents or their cells",
}
"""Evidence for a laboratory, in words, the most telling first; a run counts for its first one."""
PANEL: Final = 5
"""A library with so many confirmed unrelated viruses is a mix that somebody made."""
HUMAN: Final = "NCBITaxon:9606"
_CELLS: Final = "(cell|line|culture|cyte|blast|phage|phil|neuron|epithelium)s?$"
"""Endings of tissues that are cells, often from a culture; other tissues are from a body.
"""
_ANIMALS: Final = ("NCBITaxon:10090", "NCBITaxon:10116", "NCBITaxon:10036", "NCBITaxon:10141")
"""House mouse, brown rat, golden hamster, guinea pig."""
OF_DESIGN: Final = """
SELECT r.run FROM run AS r JOIN (
    SELECT study FROM study_design GROUP BY study
    HAVING 2 * max(runs) FILTER (design IN {designs}) >= max(study_runs)
       AND 2 * coalesce(max(runs) FILTER (design IN {others}), 0) < max(study_runs)
) AS d ON d.study = coalesce(r.bioproject, r.study)
UNION SELECT run FROM run_design WHERE design IN {designs}
"""
"""Runs of studies most of whose runs are of a design, and runs whose own sample says so: of a study
that speaks of patients and of cultures, the sample alone decides.
"""
_MADE: Final = f"('{CULTURE}', '{INFECTION}')"
_PATIENTS: Final = f"('{SAMPLED[0]}')"
CULTURED: Final = f"""
SELECT DISTINCT run FROM (
    {OF_DESIGN.format(designs=f"('{CULTURE}')", others=_PATIENTS)}
    UNION ALL SELECT run FROM run_plausibility WHERE plausibility = 'resident'
    UNION ALL SELECT run FROM annotation
    WHERE facet = 'tissue' AND (ends_with(value, 'cell line') OR ends_with(value, ' culture')
        OR regexp_matches(value, '(fibroblast|(pluripotent|embryonic) stem cell)$')
        OR regexp_matches(value, '([0-9]|[A-Z].*[A-Z]).* cell$'))
)
"""
"""BTO writes cell lines as "HeLa cell" and "MRC-5 cell", and types of cells in small letters;
fibroblasts and pluripotent stem cells are sequenced from cultures.
"""
OF_SAMPLES: Final = f"""
infected AS ({OF_DESIGN.format(designs=f"('{INFECTION}')", others=_PATIENTS)}),
cultured AS ({CULTURED}),
said AS NOT MATERIALIZED (
    SELECT run, facet, value, curie FROM annotation WHERE value IS NOT NULL
),
placed AS (SELECT DISTINCT run FROM said WHERE facet IN ('geography', 'environment')),
animal AS (SELECT DISTINCT run FROM said WHERE facet = 'host' AND curie IN {_ANIMALS}),
panel AS (
    SELECT d.run FROM detection AS d JOIN virus AS v USING (virus)
    WHERE d.species IS NOT NULL AND d.congener IS NULL AND d.reads > 0 AND d.coverage IS NULL
    GROUP BY d.run HAVING count(DISTINCT v.genus) >= {PANEL}
),
of_field AS (
    {OF_DESIGN.format(designs=SAMPLED, others=_MADE)}
    UNION SELECT run FROM said WHERE facet = 'tissue' AND NOT regexp_matches(value, '{_CELLS}')
      AND run IN (SELECT run FROM said WHERE facet = 'host' AND curie = '{HUMAN}')
),
of_run AS (
    SELECT r.run, r.run IN (FROM infected) AS infected, r.run IN (FROM cultured) AS cultured,
           r.run IN (FROM panel) AND r.run NOT IN (FROM placed) AS panel,
           r.run IN (FROM animal) AND r.run NOT IN (FROM placed) AS animal,
           r.run IN (FROM of_field) AS is_natural,
           r.run IN (FROM placed) AS placed
    FROM run AS r
)
"""
"""The queries of ``OF_RUN``, over a frame ``run_design`` that the caller registers."""
OF_RUN: Final = f"run_design AS (SELECT '' AS run, '' AS design WHERE false), {OF_SAMPLES}"
"""Queries to put after WITH; what samples say is not there, as no table keeps it.

The last, ``of_run``, has a row for each run: what is evidence for what.
"""
RUN_KIND: Final = """
CASE WHEN infected THEN 'infected' WHEN cultured THEN 'cultured' WHEN {vector} THEN 'vector'
     WHEN panel THEN 'panel' WHEN animal THEN 'animal' END
"""
"""The key of ``KINDS`` that a row of ``of_run`` counts as; NULL without evidence."""
