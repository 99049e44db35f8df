"""Entry points: the stages of a build in their order, as a command and as a Prefect flow with its
deployment.
"""
