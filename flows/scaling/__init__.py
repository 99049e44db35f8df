"""Stages in parts that other machines compute: tables travel as Parquet, in a folder all share."""
