"""What a build is to Prefect: its tasks, its artifacts, and the notice that it failed."""
