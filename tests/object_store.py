"""A real S3 server on this machine (moto), for tests of inputs in object stores."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

KEYS = {
    "AWS_ACCESS_KEY_ID": "tests",
    "AWS_SECRET_ACCESS_KEY": "tests",
    "AWS_REGION": "us-east-1",
}


@dataclass
class Bucket:
    """The bucket ``logan`` of a server, and the environment of who may read it."""

    endpoint: str
    client: Any

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that name the server and the reader."""
        return {**KEYS, "AWS_ENDPOINT_URL": self.endpoint}

    def put(self, key: str, content: bytes) -> str:
        """Store ``content`` under ``key``; return its address."""
        self.client.put_object(Bucket="logan", Key=key, Body=content)
        return f"s3://logan/{key}"

    @contextmanager
    def locked(self) -> Iterator[dict[str, str]]:
        """Let nobody in who has no right to it; yield the keys of somebody who is known."""
        people = boto3_client("iam", self.endpoint)
        name = f"reader-{uuid4()}"
        people.create_user(UserName=name)
        made = people.create_access_key(UserName=name)["AccessKey"]
        self._require_rights_after(0)
        try:
            yield {
                "AWS_ACCESS_KEY_ID": made["AccessKeyId"],
                "AWS_SECRET_ACCESS_KEY": made["SecretAccessKey"],
            }
        finally:
            self._require_rights_after(1 << 30)
            people.close()

    def _require_rights_after(self, requests: int) -> None:
        address, plain = f"{self.endpoint}/moto-api/reset-auth", {"Content-Type": "text/plain"}
        asked = urllib.request.Request(address, str(requests).encode(), plain, method="POST")
        with urllib.request.urlopen(asked) as response:
            response.read()

    def clear(self) -> None:
        """Remove every object."""
        for one in self.client.list_objects_v2(Bucket="logan").get("Contents", []):
            self.client.delete_object(Bucket="logan", Key=one["Key"])


def boto3_client(service: str, endpoint: str) -> Any:
    """Return the client of a service at ``endpoint``."""
    import boto3

    return boto3.client(
        service,
        endpoint_url=endpoint,
        region_name=KEYS["AWS_REGION"],
        aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
    )


@contextmanager
def running_bucket() -> Iterator[Bucket]:
    """Yield an empty bucket of a server that is started and stopped."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        client = boto3_client("s3", endpoint)
        client.create_bucket(Bucket="logan")
        yield Bucket(endpoint, client)
        client.close()
    finally:
        server.stop()
