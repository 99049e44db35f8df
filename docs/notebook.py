"""A first look into an index, as a marimo notebook: ``marimo edit docs/notebook.py``.

It reads the index that ``VIROME_DB`` names, else data/index/virome.duckdb, else the demo's.
"""

import marimo

app = marimo.App(width="medium", app_title="A first look into an index")


@app.cell
def _():
    import marimo as mo

    from query import Index

    index = Index()
    mo.md(f"# A first look into {index.path.name}")
    return index, mo


@app.cell
def _(index):
    counts = index.sql(
        "SELECT (SELECT count(*) FROM run) AS runs, "
        "(SELECT count(DISTINCT run) FROM searched) AS searched, "
        "(SELECT count(DISTINCT run) FROM detection) AS with_a_virus, "
        "(SELECT count(*) FROM report) AS reports"
    )
    counts  # noqa: B018 - the last expression of a cell is what it shows
    return (counts,)


@app.cell
def _(index, mo):
    communities = index.communities(level=0).select("title", "runs", "rating", "risk_group")
    mo.ui.table(communities.head(50))
    return (communities,)


@app.cell
def _(mo):
    question = mo.ui.text("Which viruses are found in bats?", label="Question", full_width=True)
    question  # noqa: B018
    return (question,)


@app.cell
def _(index, mo, question):
    answer = index.ask(question.value)
    mo.md(answer.answer)
    return (answer,)


@app.cell
def _(index):
    hosts = index.sql(
        "SELECT a.value AS host, count(DISTINCT a.run) AS searched, "
        "count(DISTINCT d.run) AS with_a_virus "
        "FROM annotation a JOIN (SELECT DISTINCT run FROM searched) USING (run) "
        "LEFT JOIN detection d USING (run) "
        "WHERE a.facet = 'host' GROUP BY host ORDER BY searched DESC, host LIMIT 15"
    )
    return (hosts,)


@app.cell
def _(hosts):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    axes.barh(hosts["host"], hosts["searched"], color="#cbd5e1", label="searched")
    axes.barh(hosts["host"], hosts["with_a_virus"], color="#0f766e", label="with a virus")
    axes.invert_yaxis()
    axes.set_xlabel("runs")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure  # noqa: B018
    return (figure,)


@app.cell
def _(index, mo):
    held = index.sql(
        "SELECT bioproject, family, attribute, value, num_true, num_false, "
        "round(fold_change, 1) AS log2_fold, q_value FROM significant_associations "
        "WHERE flag IS NULL AND fold_change > 0 ORDER BY q_value, fold_change DESC LIMIT 20"
    )
    mo.ui.table(held)
    return (held,)


if __name__ == "__main__":
    app.run()
