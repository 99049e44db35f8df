"""The index: records, annotations, graph, communities, facts, reports and associations in one
DuckDB file.
"""
