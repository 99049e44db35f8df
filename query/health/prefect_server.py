"""Checks of the Prefect server over its HTTP interface; Prefect itself is not loaded."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, Final

from query.health.machine import Check

API_URL: Final = "PREFECT_API_URL"
PORT: Final = "PREFECT_SERVER_API_PORT"
DEPLOYMENT: Final = "index"
RUNS_SHOWN: Final = 3
TIMEOUT_S: Final = 3.0
START: Final = "prefect server start"
SERVE: Final = 'python -m flows --inputs my/inputs.toml --cron "0 2 * * *"'
RUN: Final = "prefect deployment run index"


def check_server(environment: Mapping[str, str]) -> list[Check]:
    """Return the checks of the server, the schedule and the last runs.

    The server is the one that ``environment`` names, else the one on this machine.
    """
    url = server_url(environment)
    try:
        named: dict[str, object] = {"deployments": {"name": {"any_": [DEPLOYMENT]}}}
        deployments = _post(url, "deployments/filter", named)
    except (OSError, ValueError) as error:
        found = f"none answers at {url} ({error}); needed only for scheduled builds"
        return [Check("prefect server", "note", found, START)]
    server = Check("prefect server", "ok", url)
    if not deployments:
        return [server, Check("schedule", "note", "no deployment named index", SERVE)]
    return [server, _schedule(deployments[0]), _last_runs(url, deployments[0]["id"])]


def server_url(environment: Mapping[str, str]) -> str:
    """Return the address of the server that ``environment`` names, else of this machine's.

    >>> server_url({})
    'http://127.0.0.1:4200/api'
    """
    return environment.get(API_URL) or f"http://127.0.0.1:{environment.get(PORT) or '4200'}/api"


def _schedule(deployment: dict[str, Any]) -> Check:
    if deployment.get("paused"):
        return Check("schedule", "note", "paused: nothing serves it", SERVE)
    schedules = deployment.get("schedules", [])
    active = [schedule for schedule in schedules if schedule.get("active")]
    if not active:
        return Check("schedule", "note", "the deployment has no active schedule", SERVE)
    crons = ", ".join(_cron(schedule) for schedule in active)
    return Check("schedule", "ok", f"cron {crons}")


def _cron(schedule: dict[str, Any]) -> str:
    inner = schedule.get("schedule", {})
    return f"{inner.get('cron', inner)} {inner.get('timezone', 'UTC')}"


def _last_runs(url: str, deployment: str) -> Check:
    body = {
        "flow_runs": {
            "deployment_id": {"any_": [deployment]},
            "state": {"type": {"any_": ["COMPLETED", "FAILED", "CRASHED", "CANCELLED", "RUNNING"]}},
        },
        "sort": "START_TIME_DESC",
        "limit": RUNS_SHOWN,
    }
    runs = _post(url, "flow_runs/filter", body)
    if not runs:
        return Check("last runs", "note", "none yet", RUN)
    listed = [f"{run['state_name']} {str(run['start_time'])[:16]}" for run in runs]
    failed = runs[0]["state_type"] in ("FAILED", "CRASHED")
    if failed:
        logs = f"prefect flow-run logs {runs[0]['id']}"
        return Check("last runs", "missing", ", ".join(listed), logs)
    return Check("last runs", "ok", ", ".join(listed))


def _post(url: str, path: str, body: dict[str, object]) -> list[dict[str, Any]]:
    """Return what the server answers.

    Raises:
        OSError: nothing answers.
        ValueError: the answer is not a list of records, or the address is none.
    """
    request = urllib.request.Request(
        f"{url}/{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
        answer = json.load(response)
    if not isinstance(answer, list):
        raise ValueError("not a Prefect server")
    return answer
