"""A build under Prefect: tasks, artifacts, and notices of failure."""
