"""A headless Chromium, spoken to over a pipe."""

import json
import os
import shutil
import subprocess
import tempfile

PROGRAM = shutil.which("chromium")


class Browser:
    """A page and what happens on it.

    Attributes:
        faults: errors of scripts, and what the page was kept from doing.
        requests: addresses that it asked for.
    """

    def __init__(self):
        to_read, self._out = os.pipe()
        self._in, to_write = os.pipe()
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe")
        self._process = subprocess.Popen(
            ["bash", "-c", command, PROGRAM, *flags, f"--user-data-dir={self._home.name}", "about:blank"],
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._left, self._id, self._session = b"", 0, None
        self.faults, self.requests, self._loaded = [], [], False
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def close(self):
        self._session = None
        self.ask("Browser.close")  # killed, it would leave children that still write into its folder
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._home.cleanup()

    def ask(self, method, **params):
        """Send a command and wait for its answer."""
        self._id += 1
        message = {"id": self._id, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._id:
                assert "error" not in found, found
                return found["result"]

    def open(self, url):
        """Load a page; what was noted of the one before is forgotten."""
        for address in ("about:blank", url):
            self.faults, self.requests, self._loaded = [], [], False
            self.ask("Page.navigate", url=address)
            while not self._loaded:
                self._next()

    def run(self, script):
        """The value of an expression on the page; of a promise what it comes to."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def show_as(self, width, height, scheme):
        """Be a screen of so many pixels, for somebody who likes it `light` or `dark`."""
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.ask("Emulation.setDeviceMetricsOverride", **screen)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def type(self, text):
        """Type into what has the focus."""
        self.ask("Input.insertText", text=text)

    def press(self, key):
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def _next(self):
        while b"\0" not in self._left:
            read = os.read(self._in, 2**16)
            assert read, "the browser has ended"
            self._left += read
        line, _, self._left = self._left.partition(b"\0")
        message = json.loads(line)
        params = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.faults.append(params["exceptionDetails"]["text"])
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.faults.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Page.loadEventFired":
                self._loaded = True
        return message
