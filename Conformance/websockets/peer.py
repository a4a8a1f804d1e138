# SPDX-License-Identifier: MIT
"""A server of the PyPI package `websockets` whose paths are what it does, and a driver to talk to it."""
import hashlib
import logging
import os
import pathlib
import queue
import socket
import sys
import tempfile
import threading
import time
import unittest

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "fields"))
from wire import PATIENCE, Driver  # noqa: E402

PROGRAM = os.environ.get("CONFORMANCE_DRIVER", "conformance-driver")
# The driver's limit of a message.
LARGE = 16 << 20
# The server would write of each connection that the tests spoil.
logging.disable(logging.CRITICAL)


def frame(opcode, payload=b"", final=True, reserved=0, masked=False, length=None):
    """A frame as bytes; with a length of its own, the rest of the payload is missing."""
    head = bytes([(0x80 if final else 0) | reserved << 4 | opcode])
    length, mask = len(payload) if length is None else length, 0x80 if masked else 0
    if length <= 125:
        head += bytes([mask | length])
    elif length < 1 << 16:
        head += bytes([mask | 126]) + length.to_bytes(2)
    else:
        head += bytes([mask | 127]) + length.to_bytes(8)
    return head + (bytes(4) if masked else b"") + payload


class Peer:
    """A server whose paths are what it does; it keeps what it saw of each connection."""

    def __init__(self, **options):
        self.seen = []
        # What /raw writes to each connection, and the close that it then got: its code, or None without one.
        self.script, self.closes = b"", queue.Queue()
        # The times at which connections came, and what is done to each of them: see /feed.
        self.times, self.steps = [], []
        self.server = serve(
            self.handle, "127.0.0.1", 0, max_size=LARGE + 100, process_request=self.note, **options)
        self.url = "ws://127.0.0.1:%d" % self.server.socket.getsockname()[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()

    def handle(self, connection):
        seen = {"extensions": [type(each).__name__ for each in connection.protocol.extensions], "messages": []}
        self.seen.append(seen)
        try:
            getattr(self, connection.request.path.lstrip("/"))(connection, seen)
        except ConnectionClosed:
            pass  # The client has what it wanted.

    def echo(self, connection, seen):
        for message in connection:
            seen["messages"].append(message)
            connection.send(message)

    def digest(self, connection, seen):
        for message in connection:
            content = message.encode() if isinstance(message, str) else message
            connection.send("%d %s" % (len(content), hashlib.sha256(content).hexdigest()))

    def fragments(self, connection, seen):
        connection.send(["one ", "two ", "", "three"])
        connection.send([b"\x00", b"\xff" * 70_000])
        connection.recv()

    def large(self, connection, seen):
        connection.send(bytes(range(256)) * (LARGE // 256))
        connection.recv()

    def pings(self, connection, seen):
        seen["pongs"] = all(connection.ping().wait(10) for _ in range(20))
        connection.send("all came")
        connection.recv()

    def close(self, connection, seen):
        code = int(connection.recv())
        connection.close(code, "bye %d" % code)

    def many(self, connection, seen):
        for number in range(2_000):
            connection.send("the same words with the number %d" % number)
        connection.recv()

    def raw(self, connection, seen):
        try:
            connection.socket.sendall(self.script)
            connection.recv(timeout=PATIENCE)
            self.closes.put("a message")
        except ConnectionClosed as error:
            self.closes.put(error.rcvd.code if error.rcvd else None)
        except OSError:
            self.closes.put(None)

    def cut(self, connection, seen):
        connection.socket.sendall(self.script)
        connection.socket.shutdown(socket.SHUT_RDWR)

    def note(self, connection, request):
        self.times.append(time.monotonic())
        step = self.steps[len(self.times) - 1] if len(self.times) <= len(self.steps) else None
        if step == "refuse":
            return connection.respond(403, "no")
        if step == "cut":
            connection.socket.shutdown(socket.SHUT_RDWR)

    def feed(self, connection, seen):
        """Sends messages, then closes with a code or, without one, cuts the connection."""
        texts, code = self.steps[len(self.times) - 1]
        seen["messages"].append(connection.recv(timeout=PATIENCE))
        for text in texts:
            connection.send(text)
        if code is None:
            connection.socket.shutdown(socket.SHUT_RDWR)
        else:
            connection.close(code)


class TestCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.driver = Driver(PROGRAM, self.folder.name, "--no-cache")
        self.addCleanup(lambda: self.assertEqual(self.driver.stop(), 0))

    def peer(self, **options):
        peer = Peer(**options)
        self.addCleanup(peer.stop)
        return peer

    def talk(self, peer, path, **request):
        lines = []
        number = self.driver.send(url=peer.url + path, websocket=True, **request)
        while not lines or not (any(name in lines[-1] for name in ("closed", "end", "error"))):
            lines.append(self.driver.line(number))
        return [{name: value for name, value in line.items() if name != "id"} for line in lines]
