"""The provider's Batch API on this machine: files, batches that take their time, result files in
another order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.scripted_openai import Reply
from tests.serving import serving


class BatchServer(ThreadingHTTPServer):
    """Answers each request of a batch by ``script`` once it has been looked at ``polls`` times.

    While ``outage`` lasts, each look at a batch takes an entry of it instead: a status, "hang up"
    or "not JSON".
    """

    daemon_threads = True

    def __init__(
        self,
        script: Callable[[dict[str, Any]], Reply],
        *,
        polls: int = 2,
        fail: str | None = None,
        outage: Sequence[str] = (),
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.polls = polls
        self.fail = fail
        self.outage = list(outage)
        self.files: dict[str, str] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.asked: list[dict[str, Any]] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def upload(self, content: str) -> dict[str, Any]:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return {"id": name, "object": "file", "bytes": len(content), "created_at": 0,
        "filename": "x",
                "purpose": "batch", "status": "processed"}  # fmt: skip

    def create(self, request: dict[str, Any]) -> dict[str, Any]:
        name = f"batch-{len(self.batches)}"
        total = len(self.files[request["input_file_id"]].splitlines())
        self.batches[name] = {
            "id": name, "object": "batch", "endpoint": request["endpoint"], "created_at": 0,
            "input_file_id": request["input_file_id"],
            "completion_window": request["completion_window"],
            "status": "validating", "metadata": request["metadata"], "looked": 0,
            "request_counts": {"total": total, "completed": 0, "failed": 0},
        }  # fmt: skip
        return self.batches[name]

    def look(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        batch["looked"] += 1
        batch["status"] = "in_progress"
        if batch["looked"] >= self.polls:
            self._finish(batch)
        return batch

    def _finish(self, batch: dict[str, Any]) -> None:
        if self.fail is not None:
            batch["status"] = "failed"
            batch["errors"] = {"object": "list", "data": [{"code": "x", "message": self.fail}]}
            return
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        self.asked += [line["body"] for line in lines]
        answered = [self._answer(line) for line in reversed(lines)]
        batch["output_file_id"] = self.upload("\n".join(answered))["id"]
        batch["request_counts"]["completed"] = len(lines)
        batch["status"] = "completed"

    def _answer(self, line: dict[str, Any]) -> str:
        reply = self.script(line["body"])
        body = json.loads(reply.encoded())
        response = {"status_code": reply.status, "request_id": "r", "body": body}
        return json.dumps(
            {"id": "b", "custom_id": line["custom_id"], "response": response, "error": None}
        )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: BatchServer

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/v1/batches":
            listed = list(self.server.batches.values())
            self._send({"object": "list", "data": listed, "has_more": False})
        elif content := re.fullmatch(r"/v1/files/(.+)/content", path):
            self._send_text(self.server.files[content[1]])
        elif self.server.outage:
            self._fail(self.server.outage.pop(0))
        elif path.rpartition("/")[2] not in self.server.batches:
            self._send({"error": {"message": "no such batch"}}, status=404)
        else:
            self._send(self.server.look(path.rpartition("/")[2]))

    def _fail(self, how: str) -> None:
        if how == "hang up":
            self.close_connection = True
            self.connection.close()
        elif how == "not JSON":
            self._send_text("{")
        else:
            self._send({"error": {"message": "out of order"}}, status=int(how))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/v1/files":
            boundary = self.headers["content-type"].partition("boundary=")[2].encode()
            part = next(part for part in body.split(b"--" + boundary) if b"filename=" in part)
            self._send(self.server.upload(part.partition(b"\r\n\r\n")[2].rstrip(b"\r\n").decode()))
        else:
            self._send(self.server.create(json.loads(body)))

    def _send(self, record: dict[str, Any], *, status: int = 200) -> None:
        self._send_text(json.dumps(record), status=status)

    def _send_text(self, text: str, *, status: int = 200) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serve_batches(
    script: Callable[[dict[str, Any]], Reply],
    *,
    polls: int = 2,
    fail: str | None = None,
    outage: Sequence[str] = (),
) -> Iterator[BatchServer]:
    """Run a server for the length of a ``with`` block."""
    with serving(BatchServer(script, polls=polls, fail=fail, outage=outage)) as server:
        yield server
