"""Parts of stages on other machines: tables travel as Parquet through a shared folder."""
