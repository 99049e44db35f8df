"""What is elsewhere: addresses, objects of S3-compatible stores, and tables of databases."""
