"""Remote inputs: URLs, objects of S3-compatible stores, and tables of databases."""
