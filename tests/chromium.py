"""Headless Chromium over its DevTools protocol: what a person does with a page, for tests."""

from __future__ import annotations

import base64
import gzip
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from websockets.sync.client import ClientConnection, connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(__file__).parent / "assets" / "axe.min.js.gz"
OPTIONS = "--headless --no-sandbox --disable-gpu --disable-background-networking --hide-scrollbars"
MOST_BYTES = 64 * 1024 * 1024
CENTRE = "(() => { const e = %s; e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"  # noqa: E501
LOADED = "document.body !== null && Boolean(%s)"  # a page that is being replaced has no body yet
TAB = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}


class Page:
    """A tab: ``errors`` are what its console reported."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._asked = 0
        self.errors: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **given: Any) -> dict[str, Any]:
        """Return what the browser answers to ``method``; errors of the page are kept meanwhile."""
        self._asked += 1
        self._socket.send(json.dumps({"id": self._asked, "method": method, "params": given}))
        while True:
            said = json.loads(self._socket.recv(timeout=60))
            if said.get("id") == self._asked:
                assert "error" not in said, said
                return said["result"]  # type: ignore[no-any-return]
            self._note(said)

    def _note(self, said: dict[str, Any]) -> None:
        method, given = said["method"], said["params"]
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(given["exceptionDetails"]))
        if method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning"):
            self.errors.append(json.dumps(given["args"]))
        if method == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.errors.append(json.dumps(given["entry"]))

    def run(self, script: str) -> Any:
        """Return the value of ``script``, waited for where it is a promise."""
        done = self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def wait(self, condition: str, *, seconds: float = 90) -> None:
        """Return as soon as ``condition`` is true."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.run(LOADED % condition):
                return
            time.sleep(0.05)
        raise AssertionError(f"never true: {condition}\n{self.run('document.body.innerText')}")

    def go(self, address: str) -> None:
        """Open ``address`` and wait until its first view is drawn."""
        self.send("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && document.querySelector('main h2')")

    def click(self, element: str) -> None:
        """Click in the middle of what the expression ``element`` gives."""
        self.wait(element)
        self._press(*self.run(CENTRE % element))

    def press(self, element: str, right: int, down: int) -> None:
        """Click so many pixels right of and below the corner of ``element``."""
        corner = f"(() => {{ const r = {element}.getBoundingClientRect(); return [r.x, r.y]; }})()"
        x, y = self.run(corner)
        self._press(x + right, y + down)

    def _press(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text: str) -> None:
        """Type ``text`` where the focus is."""
        self.send("Input.insertText", text=text)

    def tab(self) -> None:
        """Press the tabulator key."""
        self._key(**TAB)

    def arrow(self, name: str) -> None:
        """Press an arrow key, such as ``ArrowLeft``."""
        self._key(key=name, code=name)

    def _key(self, **key: Any) -> None:
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, **key)

    def width(self, pixels: int, height: int = 900) -> None:
        """Make the page ``pixels`` wide."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=pixels,
            height=height,
            deviceScaleFactor=1,
            mobile=pixels < 640,
        )

    def picture(self, path: Path) -> None:
        """Write a screenshot of what is in view."""
        taken = self.send("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(taken["data"]))

    def violations(self) -> list[str]:
        """Return the serious and critical violations that axe finds, with an element of each."""
        if not self.run("'axe' in window"):
            self.run(gzip.decompress(AXE.read_bytes()).decode() + "; true")
        found = self.run(
            "axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations"
            ".filter((v) => ['serious', 'critical'].includes(v.impact))"
            ".map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.html).join(' | ')))"
        )
        return list(found)


@contextmanager
def opened_page(profile: Path) -> Iterator[Page]:
    """Yield a tab of a Chromium of its own, whose files are in ``profile``; downloads, too."""
    options = [*OPTIONS.split(), "--remote-debugging-port=0", f"--user-data-dir={profile}"]
    command = [str(CHROMIUM), *options, "about:blank"]
    browser = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        port = _port(profile / "DevToolsActivePort")
        with urlopen(f"http://127.0.0.1:{port}/json/list") as listed:
            targets = json.load(listed)
        address = next(one for one in targets if one["type"] == "page")["webSocketDebuggerUrl"]
        with connect(address, max_size=MOST_BYTES) as socket:
            page = Page(socket)
            page.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(profile))
            yield page
    finally:
        browser.terminate()
        browser.wait()


def _port(file: Path) -> int:
    """Return the port that the browser writes to ``file`` when it is ready."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if file.exists() and file.read_text().strip():
            return int(file.read_text().splitlines()[0])
        time.sleep(0.05)
    raise AssertionError(f"{file} was never written")
