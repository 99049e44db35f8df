"""Prefect flows: order, retries, progress and artifacts around the plain functions of the other
packages.
"""
