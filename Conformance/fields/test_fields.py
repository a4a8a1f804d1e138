# SPDX-License-Identifier: MIT
"""Each field of the driver's lines, checked by what really went over the wire.

    CONFORMANCE_DRIVER=path/to/conformance-driver python3 -m unittest discover Conformance/fields

CONFORMANCE_TRANSPORT names the transport of the driver.
"""
import base64
import gzip
import hashlib
import json
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from email.parser import BytesParser

from wire import Driver, Server

PROGRAM = os.environ.get("CONFORMANCE_DRIVER", "conformance-driver")


def ok(request):
    request.connection.reply(200, "ok")


def silent(request):
    """Never answers, and notes that the client has left."""
    request.left = request.connection.wait_for_close()
    return "close"


class FieldTest(unittest.TestCase):
    options = ("--no-cache",)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.driver = Driver(PROGRAM, self.folder.name, *self.options)
        self.addCleanup(self.stop)

    def stop(self):
        self.assertEqual(self.driver.stop(), 0)

    def server(self, **handlers):
        server = Server(**handlers)
        self.addCleanup(server.stop)
        return server

    def file(self, name, content):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def assertLeaves(self, request):
        """The client closes the connection of a request that is not answered."""
        deadline = time.monotonic() + 20
        while not hasattr(request, "left") and time.monotonic() < deadline:
            time.sleep(0.005)
        self.assertTrue(getattr(request, "left", False), "the exchange went on")


class Bodies(FieldTest):
    def test_body_file(self):
        content = os.urandom(300_001)
        server = self.server(up=ok)
        path = self.file("upload.json", content)
        line = self.driver.ask(method="PUT", url=server.url + "/up", bodyFile=path)
        self.assertEqual(line["body"], "ok")
        request = server.seen("/up")[0]
        self.assertEqual((request.body, request.framing), (content, "length"))
        self.assertIsNone(request.value("content-type"), "a field that the line does not name")

    def test_body_file_that_is_absent(self):
        server = self.server(up=ok)
        line = self.driver.ask(method="PUT", url=server.url + "/up", bodyFile=self.folder.name + "/none")
        self.assertIn("bodyUnreadable", line["error"])

    def test_two_bodies(self):
        server = self.server(up=ok)
        line = self.driver.ask(method="PUT", url=server.url + "/up", body="a", bodyBase64="YQ==")
        self.assertIn("one body", line["error"])
        self.assertEqual(server.requests, [])

    def test_multipart(self):
        content = bytes(range(256)) * 300
        server = self.server(up=ok)
        parts = [
            {"name": "a", "value": "x"},
            {"name": 'quo"te\r\n', "value": "ü\r\n--", "type": "text/plain; charset=utf-8"},
            {"name": "f", "file": self.file("content.bin", content), "filename": "ü.txt", "type": "text/plain",
             "headers": [["X-Part", "1"], ["X-Part", "2"]]},
            {"name": "f", "file": self.file("second.png", b""), "type": None},
        ]
        self.driver.ask(method="PATCH", url=server.url + "/up", multipart=parts)
        request = server.seen("/up")[0]
        self.assertEqual((request.method, request.framing), ("PATCH", "length"))
        kind = request.value("content-type")
        self.assertRegex(kind, r"^multipart/form-data; boundary=\"?[0-9A-Za-z'()+_,./:=? -]{1,70}\"?$")
        form = BytesParser().parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + request.body)
        boundary = b"--" + form.get_boundary().encode()
        self.assertTrue(request.body.startswith(boundary + b"\r\n"))
        self.assertTrue(request.body.endswith(b"\r\n" + boundary + b"--\r\n"))
        sent = request.body[len(boundary) + 2:-len(boundary) - 6].split(b"\r\n" + boundary + b"\r\n")
        heads, bodies = zip(*(part.split(b"\r\n\r\n", 1) for part in sent))
        self.assertEqual(bodies, (b"x", "ü\r\n--".encode(), content, b""))
        self.assertEqual(heads[0].decode(), 'Content-Disposition: form-data; name="a"')
        self.assertEqual(
            heads[1].decode(),
            'Content-Disposition: form-data; name="quo%22te%0D%0A"\r\nContent-Type: text/plain; charset=utf-8',
        )
        self.assertEqual(
            heads[2].decode(),
            'Content-Disposition: form-data; name="f"; filename="ü.txt"\r\nContent-Type: text/plain\r\n'
            "X-Part: 1\r\nX-Part: 2",
        )
        self.assertEqual(
            heads[3].decode(),
            'Content-Disposition: form-data; name="f"; filename="second.png"\r\nContent-Type: image/png',
        )

    def test_encoding(self):
        text = "the same words, " * 5_000
        server = self.server(up=ok)
        for body in ({"body": text}, {"bodyFile": self.file("words", text.encode())}):
            self.driver.ask(method="POST", url=server.url + "/up", encoding="gzip", **body)
            request = server.requests[-1]
            self.assertEqual(request.values("content-encoding"), ["gzip"])
            self.assertLess(len(request.body), 5_000)
            self.assertEqual(gzip.decompress(request.body).decode(), text)
        line = self.driver.ask(method="POST", url=server.url + "/up", encoding="compress", body="x")
        self.assertEqual(line, {"id": self.driver.last, "error": "unsupported: field"})


class Streams(FieldTest):
    def test_bytes_come_as_they_are_sent(self):
        arrived = threading.Event()

        def parts(request):
            connection = request.connection
            connection.head(200, [("X-Kind", "parts")])
            connection.chunk(b"first\xff")
            self.assertTrue(arrived.wait(20))
            connection.chunk("second")
            connection.end()

        server = self.server(parts=parts)
        number = self.driver.send(url=server.url + "/parts", stream="bytes")
        head = self.driver.line(number)
        self.assertEqual(head["status"], 200)
        self.assertIn(["X-Kind", "parts"], head["headers"])
        self.assertNotIn("body64", head)
        self.assertEqual(base64.b64decode(self.driver.line(number)["chunk64"]), b"first\xff")
        arrived.set()
        self.assertEqual(base64.b64decode(self.driver.line(number)["chunk64"]), b"second")
        self.assertEqual(self.driver.line(number), {"id": number, "end": True})

    def test_the_head_comes_before_the_body(self):
        arrived = threading.Event()

        def late(request):
            request.connection.head(200, [("Content-Type", "text/event-stream")])
            self.assertTrue(arrived.wait(20))
            request.connection.chunk("data: x\n\n")
            request.connection.end()

        server = self.server(late=late)
        for kind in ("bytes", "lines", "events"):
            arrived.clear()
            number = self.driver.send(url=server.url + "/late", stream=kind)
            self.assertEqual(self.driver.line(number)["status"], 200)
            arrived.set()
            self.assertEqual(self.driver.rest(number)[-1], {"id": number, "end": True})

    def test_a_cut_stream_is_an_error(self):
        def cut(request):
            request.connection.head(200)
            request.connection.chunk("a part\n")
            return "close"

        def short(request):
            request.connection.head(200, length=100)
            request.connection.send("a part\n")
            return "close"

        server = self.server(cut=cut, short=short)
        for path in ("/cut", "/short"):
            lines = self.driver.stream(url=server.url + path, stream="bytes")
            self.assertEqual(b"".join(base64.b64decode(line["chunk64"]) for line in lines[1:-1]), b"a part\n")
            self.assertIn("connectionClosed", lines[-1]["error"])
            lines = self.driver.stream(url=server.url + path, stream="lines")
            self.assertEqual([line.get("line") for line in lines[1:-1]], ["a part"])
            self.assertIn("connectionClosed", lines[-1]["error"])

    def test_every_status_is_streamed(self):
        server = self.server(any=lambda request: request.connection.reply(int(request.path[1:]), "text"))
        for status in (200, 401, 404, 500, 503):
            lines = self.driver.stream(url="%s/%d" % (server.url, status), stream="bytes")
            self.assertEqual(lines[0]["status"], status)
            self.assertEqual(base64.b64decode(lines[1]["chunk64"]), b"text")
            self.assertEqual(list(lines[2])[-1], "id")

    def test_lines(self):
        def text(request):
            request.connection.head(200)
            for piece in (b"one\ntw", b"o\r", b"\n\n\xc3", b"\xbc\nlast"):
                request.connection.chunk(piece)
            request.connection.end()

        server = self.server(text=text)
        lines = self.driver.stream(url=server.url + "/text", stream="lines")
        self.assertEqual([line["line"] for line in lines[1:-1]], ["one", "two", "", "ü", "last"])

    def test_json_lines(self):
        def rows(request):
            request.connection.head(200)
            for piece in ('{"a": 1', '}\n\n[true, null, 9007199254740993]\r\n"x"\n', "{not json\n", "1\n"):
                request.connection.chunk(piece)
            request.connection.end()

        server = self.server(rows=rows)
        lines = self.driver.stream(url=server.url + "/rows", stream="json-lines")
        self.assertEqual([line["json"] for line in lines[1:-1]], [{"a": 1}, [True, None, 9007199254740993], "x"])
        self.assertIn("decodingFailed", lines[-1]["error"])
        self.assertEqual(server.requests[0].value("accept"), "*/*")

    def test_take_cancels_the_exchange(self):
        def endless(request):
            connection = request.connection
            connection.head(200, [("Content-Type", "text/event-stream")])
            for number in range(3):
                connection.chunk('data: %d\n\n' % number if "events" in request.query else '%d\n' % number)
            return silent(request)

        server = self.server(endless=endless)
        for kind, member in (("lines", "line"), ("json-lines", "json"), ("events", "event")):
            lines = self.driver.stream(url=server.url + "/endless?" + kind, stream=kind, take=2)
            self.assertEqual(len([line for line in lines if member in line]), 2)
            self.assertEqual(lines[-1], {"id": self.driver.last, "end": True})
            self.assertLeaves(server.requests[-1])
        lines = self.driver.stream(url=server.url + "/endless?lines", stream="bytes", take=1)
        self.assertEqual(len(lines), 3)
        self.assertLeaves(server.requests[-1])

    def test_the_time_limit_is_that_of_the_whole_stream(self):
        def drip(request):
            request.connection.head(200)
            try:
                while True:
                    request.connection.chunk("x\n")
                    time.sleep(0.05)
            except OSError:
                request.left = True
                raise

        server = self.server(drip=drip)
        began = time.monotonic()
        lines = self.driver.stream(url=server.url + "/drip", stream="lines", timeoutMs=600)
        self.assertTrue(lines[-1]["error"].startswith("timeout"), lines[-1])
        self.assertLess(time.monotonic() - began, 10)
        self.assertLeaves(server.requests[0])


class Events(FieldTest):
    def test_events(self):
        def feed(request):
            connection = request.connection
            connection.head(200, [("Content-Type", "text/event-stream; charset=utf-8")])
            for piece in (b"\xef\xbb", b"\xbfdata: one\r", b"\n\r\n: comment\n\nevent: add\rdata:two\rdata: three\r\r",
                          b"id: 7\n", b"data\n\n", b"id: 8\ndata: unfinished\n"):
                connection.chunk(piece)
            connection.end()

        server = self.server(feed=feed)
        lines = self.driver.stream(url=server.url + "/feed", stream="events")
        self.assertEqual(
            [line["event"] for line in lines[1:-1]],
            [
                {"type": "message", "data": "one", "lastEventId": ""},
                {"type": "add", "data": "two\nthree", "lastEventId": ""},
                {"type": "message", "data": "", "lastEventId": "7"},
            ],
        )
        self.assertEqual(server.requests[0].value("accept"), "text/event-stream")
        self.assertEqual(len(server.requests), 1)

    def test_reconnect(self):
        def feed(request):
            connection, number = request.connection, len(server.seen("/feed"))
            if number == 4:
                connection.reply(204)
                return None
            connection.head(200, [("Content-Type", "text/event-stream")])
            connection.chunk("retry: 30\nid: %d\ndata: event %d\n\n" % (number, number))
            if number == 2:
                return "close"
            connection.end()

        server = self.server(feed=feed)
        lines = self.driver.stream(url=server.url + "/feed", stream="events", reconnect=True)
        self.assertEqual(len([line for line in lines if "status" in line]), 1, "one head")
        self.assertEqual([line["event"]["data"] for line in lines if "event" in line], ["event 1", "event 2", "event 3"])
        self.assertEqual(lines[-1], {"id": self.driver.last, "end": True})
        requests = server.seen("/feed")
        self.assertEqual([request.value("last-event-id") for request in requests], [None, "1", "2", "3"])
        for earlier, later in zip(requests, requests[1:]):
            self.assertGreaterEqual(later.time - earlier.time, 0.03)

    def test_what_is_no_event_stream(self):
        server = self.server(
            page=lambda request: request.connection.reply(200, "data: x\n\n", [("Content-Type", "text/plain")]),
            gone=lambda request: request.connection.reply(410, "", [("Content-Type", "text/event-stream")]),
            done=lambda request: request.connection.reply(204),
        )
        for path, status in (("/page", 200), ("/gone", 410)):
            lines = self.driver.stream(url=server.url + path, stream="events", reconnect=True)
            self.assertEqual(lines[0]["status"], status)
            self.assertIn("notAnEventStream", lines[-1]["error"])
        lines = self.driver.stream(url=server.url + "/done", stream="events", reconnect=True)
        self.assertEqual([lines[0]["status"], lines[-1].get("end")], [204, True])
        self.assertEqual(len(server.requests), 3)


class Downloads(FieldTest):
    content = bytes(range(256)) * 4_000

    def serve(self, cuts=0):
        """A file with an entity tag; the first responses are cut after the half of what was asked."""
        def file(request):
            first, connection = 0, request.connection
            if (span := request.value("range")) and request.value("if-range") in (None, '"v1"'):
                first = int(span.removeprefix("bytes=").split("-")[0])
            rest = self.content[first:]
            fields = [("ETag", '"v1"'), ("Accept-Ranges", "bytes")]
            if first:
                fields.append(("Content-Range", "bytes %d-%d/%d" % (first, len(self.content) - 1, len(self.content))))
            connection.head(206 if first else 200, fields, len(rest))
            if len(server.seen("/file")) <= cuts:
                connection.send(rest[:len(rest) // 2])
                return "close"
            connection.send(rest)

        server = self.server(file=file, any=lambda request: request.connection.reply(404, "none"))
        return server

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    def test_a_file(self):
        server = self.serve()
        path = self.folder.name + "/whole.bin"
        line = self.driver.ask(url=server.url + "/file", downloadTo=path)
        self.assertEqual((line["status"], line["file"], line["bytes"]), (200, path, len(self.content)))
        self.assertEqual(self.read(path), self.content)
        self.assertNotIn("body", line)
        self.assertIsNone(server.requests[0].value("range"))

    def test_resume(self):
        server = self.serve(cuts=1)
        path = self.folder.name + "/cut.bin"
        self.assertIn("error", self.driver.ask(url=server.url + "/file", downloadTo=path))
        self.assertFalse(os.path.exists(path), "a part must not take the file's place")
        lines = self.driver.stream(url=server.url + "/file", downloadTo=path, resume=True, progress=True)
        self.assertEqual((lines[-1]["status"], lines[-1]["bytes"]), (206, len(self.content)))
        self.assertEqual(self.read(path), self.content)
        self.assertRegex(server.requests[1].value("range"), "^bytes=[1-9][0-9]*-$")
        self.assertEqual(server.requests[1].value("if-range"), '"v1"')
        progress = [line["progress"] for line in lines[:-1]]
        self.assertEqual((progress[-1]["received"], progress[-1]["total"]), (len(self.content), len(self.content)))

    def test_without_resume_it_begins_again(self):
        server = self.serve(cuts=1)
        path = self.folder.name + "/again.bin"
        self.driver.ask(url=server.url + "/file", downloadTo=path)
        line = self.driver.ask(url=server.url + "/file", downloadTo=path)
        self.assertEqual(line["bytes"], len(self.content))
        self.assertIsNone(server.requests[1].value("range"))

    def test_retries_resume(self):
        server = self.serve(cuts=2)
        path = self.folder.name + "/retried.bin"
        retry = {"attempts": 3, "baseMs": 1, "maxMs": 5, "jitter": False}
        line = self.driver.ask(url=server.url + "/file", downloadTo=path, retry=retry)
        self.assertEqual((line["bytes"], line["attempts"]), (len(self.content), 3))
        self.assertEqual(hashlib.sha256(self.read(path)).digest(), hashlib.sha256(self.content).digest())

    def test_a_status_that_is_an_error(self):
        server = self.serve()
        path = self.folder.name + "/none.bin"
        line = self.driver.ask(url=server.url + "/none", downloadTo=path)
        self.assertEqual((line["status"], line["body"]), (404, "none"))
        self.assertFalse(os.path.exists(path))


class Progress(FieldTest):
    def test_progress_of_both_directions(self):
        server = self.server(echo=lambda request: request.connection.reply(200, request.body))
        content = os.urandom(2_000_000)
        lines = self.driver.stream(
            method="PUT", url=server.url + "/echo", bodyFile=self.file("sent.bin", content), progress=True)
        self.assertEqual(base64.b64decode(lines[-1]["body64"]), content)
        progress = [line["progress"] for line in lines[:-1]]
        self.assertEqual(progress[-1], {"sent": 2_000_000, "received": 2_000_000, "total": 2_000_000})
        for one, next_one in zip(progress, progress[1:]):
            self.assertLessEqual(one["sent"], next_one["sent"])
            self.assertLessEqual(one["received"], next_one["received"])

    def test_progress_of_a_stream(self):
        server = self.server(any=lambda request: request.connection.reply(200, "x" * 500_000))
        lines = self.driver.stream(url=server.url + "/", stream="bytes", progress=True)
        self.assertEqual(lines[-1], {"id": self.driver.last, "end": True})
        self.assertEqual([line["progress"] for line in lines if "progress" in line][-1]["received"], 500_000)


class Sockets(FieldTest):
    """A server of WebSockets, in as many lines as the tests need."""

    def server(self, **handlers):
        def opening(handler):
            def open_(request):
                key = request.value("sec-websocket-key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
                accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
                chosen = (request.value("sec-websocket-protocol") or "").split(", ")[-1]
                fields = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: " + accept]
                fields += ["Sec-WebSocket-Protocol: " + chosen] if chosen else []
                request.connection.send("\r\n".join(["HTTP/1.1 101 Switching Protocols", *fields]) + "\r\n\r\n")
                handler(request)
                return "close"
            return open_

        return super().server(**{name: opening(handler) for name, handler in handlers.items()})

    @staticmethod
    def frame(opcode, payload=b"", final=True):
        size = len(payload)
        length = bytes([size]) if size < 126 else b"\x7f" + size.to_bytes(8, "big")
        return bytes([(0x80 if final else 0) | opcode]) + length + payload

    @staticmethod
    def receive(request):
        """The next frame of the client, which must be masked: its kind and its content."""
        file = request.connection.file
        head = file.read(2)
        assert head[1] & 0x80, "a frame without a mask"
        size = head[1] & 0x7f
        size = int.from_bytes(file.read({126: 2, 127: 8}[size]), "big") if size > 125 else size
        mask = file.read(4)
        return head[0] & 0x0f, bytes(byte ^ mask[index % 4] for index, byte in enumerate(file.read(size)))

    def echo(self, request):
        request.kinds = []
        while True:
            opcode, content = self.receive(request)
            request.kinds.append(opcode)
            request.connection.send(self.frame(opcode, content))
            if opcode == 8:
                return

    def talk(self, server, path="/echo", **request):
        lines = []
        number = self.driver.send(url=server.url.replace("http:", "ws:") + path, websocket=True, **request)
        while not lines or not ("closed" in lines[-1] or "error" in lines[-1]):
            lines.append(self.driver.line(number))
        return [{name: value for name, value in line.items() if name != "id"} for line in lines]

    def test_messages_and_a_close(self):
        server = self.server(echo=self.echo)
        long = "é" * 40_000
        lines = self.talk(
            server, send=[{"text": "hello"}, {"base64": "AP8="}, {"text": long}, {"close": [4000, "bye"]}], take=3)
        self.assertEqual(lines, [
            {"message": {"text": "hello"}}, {"message": {"base64": "AP8="}}, {"message": {"text": long}},
            {"closed": [4000, "bye"]},
        ])
        self.assertEqual(server.requests[0].kinds, [1, 2, 1, 8])

    def test_a_close_without_take_loses_nothing(self):
        lines = self.talk(self.server(echo=self.echo), send=[{"text": "a"}, {"text": "b"}, {"close": [1000, ""]}])
        self.assertEqual(lines, [{"message": {"text": "a"}}, {"message": {"text": "b"}}, {"closed": [1000, ""]}])

    def test_the_server_closes(self):
        def ends(request):
            request.connection.send(self.frame(1, b"on", final=False) + self.frame(0, b"e"))
            request.connection.send(self.frame(8, (1011).to_bytes(2, "big") + b"tired"))
            self.receive(request)

        self.assertEqual(
            self.talk(self.server(ends=ends), "/ends"), [{"message": {"text": "one"}}, {"closed": [1011, "tired"]}])

    def test_protocols(self):
        server = self.server(echo=self.echo)
        self.talk(server, protocols=["a", "b"], take=0)
        self.assertEqual(server.requests[0].value("sec-websocket-protocol"), "a, b")

    def test_what_is_an_error(self):
        def cut(request):
            request.connection.send(self.frame(1, b"a"))

        def broken(request):
            request.connection.send(self.frame(0, b"a"))
            self.receive(request)

        server = self.server(cut=cut, broken=broken)
        self.assertEqual(self.talk(server, "/cut")[0], {"message": {"text": "a"}})
        self.assertIn("error", self.talk(server, "/cut")[-1])
        self.assertIn("error", self.talk(server, "/broken")[-1])
        plain = FieldTest.server(self, any=ok)
        self.assertIn("error", self.talk(plain, "/plain")[-1])

    HOSTILE = {
        "a mask": (b"\x81\x81\x01\x02\x03\x04\x60", (1002,)),
        "the bit of compression": (b"\xc1\x01a", (1002,)),
        "another reserved bit": (b"\xa1\x01a", (1002,)),
        "an unknown opcode": (b"\x83\x01a", (1002,)),
        "an unknown opcode of control": (b"\x8b\x00", (1002,)),
        "a text that is not UTF-8": (b"\x81\x02\xc3\x28", (1007,)),
        "a text that is not UTF-8, in fragments": (b"\x01\x01\xc3\x80\x01\x28", (1007,)),
        "a long ping": (b"\x89\x7e\x00\x7e" + b"a" * 126, (1002,)),
        "a ping in fragments": (b"\x09\x00", (1002,)),
        "a length of 2 to the power of 63": (b"\x82\x7f\x80" + b"\x00" * 7, (1002, 1009)),
        "a length below that": (b"\x82\x7f\x7f" + b"\xff" * 7, (1009,)),
        "a continuation without a beginning": (b"\x80\x01a", (1002,)),
        "a text within a text": (b"\x01\x01a\x81\x01b", (1002,)),
        "half a code": (b"\x88\x01\x03", (1002,)),
        "a reason that is not UTF-8": (b"\x88\x04\x03\xe8\xc3\x28", (1007,)),
        **{"the code %d" % code: (b"\x88\x02" + code.to_bytes(2, "big"), (1002,))
           for code in (0, 999, 1004, 1005, 1006, 1015, 2999, 5000)},
    }

    def test_hostile_frames(self):
        def hostile(request):
            request.connection.send(bytes.fromhex(request.query))
            request.closed = None
            while request.closed is None:
                opcode, content = self.receive(request)
                request.closed = int.from_bytes(content[:2], "big") if opcode == 8 else None

        server = self.server(hostile=hostile, echo=self.echo)
        for name, (frames, codes) in self.HOSTILE.items():
            with self.subTest(name):
                line = self.talk(server, "/hostile?" + frames.hex(), take=1)[-1]
                self.assertRegex(line.get("error", ""), "webSocketViolated|messageTooLarge", line)
                deadline = time.monotonic() + 20
                while getattr(server.requests[-1], "closed", None) is None and time.monotonic() < deadline:
                    time.sleep(0.005)
                self.assertIn(server.requests[-1].closed, codes)
        lines = self.talk(server, send=[{"text": "still there"}], take=1)
        self.assertEqual(lines[0], {"message": {"text": "still there"}})


@unittest.skipUnless(shutil.which("openssl"), "certificates are made with openssl")
class Pins(unittest.TestCase):
    def test_a_server_with_another_key_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = folder + "/key.pem", folder + "/certificate.pem"
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
                 "-days", "2", "-sha256", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                check=True, capture_output=True)
            public = subprocess.run(
                ["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout
            right, wrong = hashlib.sha256(public).digest(), hashlib.sha256(b"another key").digest()
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            listener = socket.create_server(("127.0.0.1", 0))
            self.addCleanup(listener.close)

            def serve():
                while True:
                    try:
                        peer = listener.accept()[0]
                    except OSError:
                        return
                    try:
                        with context.wrap_socket(peer, server_side=True) as peer:
                            if peer.recv(65_536):
                                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
                    except OSError:
                        pass

            threading.Thread(target=serve, daemon=True).start()
            url = "https://localhost:%d/" % listener.getsockname()[1]
            hexadecimal, text = right.hex(), base64.b64encode(right).decode()
            for pins, status in (([hexadecimal], 200), ([text], 200), ([wrong.hex(), text], 200), ([wrong.hex()], None)):
                options = [word for pin in pins for word in ("--tls-pin", pin)]
                driver = Driver(PROGRAM, folder, "--no-cache", "--ca", certificate, *options)
                line = driver.ask(url=url)
                self.assertEqual(driver.stop(), 0)
                self.assertEqual(line.get("status"), status, line)
                if status is None:
                    self.assertIn("tlsFailed", line["error"])


class Hedging(FieldTest):
    def test_a_slow_request_is_sent_again(self):
        released = threading.Event()

        def slow(request):
            if len(server.seen("/slow")) == 1:
                released.wait(20)
                return "close"
            request.connection.reply(200, "second")

        server = self.server(slow=slow)
        line = self.driver.ask(url=server.url + "/slow", hedgeAfterMs=50)
        released.set()
        self.assertEqual((line.get("status"), line.get("body")), (200, "second"), line)
        self.assertEqual(len(server.seen("/slow")), 2)

    def test_an_unsafe_request_is_sent_once(self):
        def slow(request):
            time.sleep(0.3)
            request.connection.reply(200, "first")

        server = self.server(slow=slow)
        line = self.driver.ask(method="POST", url=server.url + "/slow", body="x", hedgeAfterMs=20)
        self.assertEqual(line["body"], "first")
        self.assertEqual(len(server.seen("/slow")), 1)


class Ends(FieldTest):
    def test_cancel_after(self):
        server = self.server(never=silent)
        began = time.monotonic()
        line = self.driver.ask(url=server.url + "/never", cancelAfterMs=150)
        self.assertTrue(line["error"].startswith("cancelled"), line)
        self.assertGreaterEqual(time.monotonic() - began, 0.15)
        self.assertLeaves(server.seen("/never")[0])

    def test_cancel_after_the_end_changes_nothing(self):
        server = self.server(fast=ok)
        self.assertEqual(self.driver.ask(url=server.url + "/fast", cancelAfterMs=20_000)["body"], "ok")

    def test_cancel_of_a_stream(self):
        def endless(request):
            request.connection.head(200)
            request.connection.chunk("x")
            return silent(request)

        server = self.server(endless=endless)
        lines = self.driver.stream(url=server.url + "/endless", stream="bytes", cancelAfterMs=300)
        self.assertEqual([list(line)[0] for line in lines[:2]], ["headers", "chunk64"])
        self.assertTrue(lines[-1]["error"].startswith("cancelled"), lines)
        self.assertLeaves(server.requests[0])

    def test_cancel_all_and_in_flight(self):
        def endless(request):
            request.connection.head(200)
            request.connection.chunk("x")
            return silent(request)

        server = self.server(never=silent, endless=endless)
        self.assertEqual(self.driver.command(inFlight=True), {"inFlight": 0})
        calls = [self.driver.send(url=server.url + "/never") for _ in range(3)]
        stream = self.driver.send(url=server.url + "/endless", stream="bytes")
        server.wait("/never", 3)
        for _ in range(2):
            self.driver.line(stream)
        self.assertEqual(self.driver.command(inFlight=True), {"inFlight": 4})
        self.assertEqual(self.driver.command(cancelAll=True), {"ok": True})
        for number in [*calls, stream]:
            self.assertTrue(self.driver.rest(number)[-1]["error"].startswith("cancelled"))
        self.assertEqual(self.driver.command(inFlight=True), {"inFlight": 0})
        for request in server.requests:
            self.assertLeaves(request)

    def test_cancel_all_reaches_calls_that_have_just_begun(self):
        server = self.server(never=silent)
        calls = [self.driver.send(url=server.url + "/never") for _ in range(50)]
        self.driver.command(cancelAll=True)
        for number in calls:
            self.assertTrue(self.driver.rest(number)[-1]["error"].startswith("cancelled"))

    def test_attempt_timeout(self):
        def slow_once(request):
            return silent(request) if len(server.seen("/slow")) == 1 else ok(request)

        server = self.server(slow=slow_once, never=silent)
        retry = {"attempts": 2, "baseMs": 1, "maxMs": 10, "jitter": False}
        line = self.driver.ask(url=server.url + "/slow", attemptTimeoutMs=300, retry=retry)
        self.assertEqual((line["body"], line["attempts"]), ("ok", 2))
        self.assertLeaves(server.requests[0])
        line = self.driver.ask(url=server.url + "/never", attemptTimeoutMs=200)
        self.assertTrue(line["error"].startswith("timeout"), line)


class Retries(FieldTest):
    RETRY = {"attempts": 3, "baseMs": 60, "maxMs": 2_000, "jitter": False}

    def answering(self, *statuses, fields=()):
        server = self.server(any=lambda request: request.connection.reply(
            statuses[min(len(server.requests), len(statuses)) - 1], "body %d" % len(server.requests), fields))
        return server

    def test_a_get_is_repeated(self):
        server = self.answering(503, 500, 200)
        line = self.driver.ask(url=server.url + "/", retry=self.RETRY)
        self.assertEqual((line["status"], line["attempts"], line["body"]), (200, 3, "body 3"))
        first, second, third = (request.time for request in server.requests)
        self.assertGreaterEqual(second - first, 0.06)
        self.assertGreaterEqual(third - second, 0.12)

    def test_the_last_response_is_the_answer(self):
        server = self.answering(503)
        line = self.driver.ask(url=server.url + "/", retry=self.RETRY)
        self.assertEqual((line["status"], line["attempts"], line["body"]), (503, 3, "body 3"))
        self.assertEqual(len(server.requests), 3)

    def test_what_is_not_repeated(self):
        for method, status, attempts in (("GET", 404, 1), ("POST", 500, 1), ("POST", 503, 1), ("POST", 429, 3),
                                         ("PUT", 502, 3), ("GET", 501, 1), ("DELETE", 504, 3)):
            server = self.answering(status)
            line = self.driver.ask(method=method, url=server.url + "/", retry={**self.RETRY, "baseMs": 1})
            self.assertEqual((line["status"], line["attempts"]), (status, attempts), method)
            self.assertEqual(len(server.requests), attempts)

    def test_retry_after(self):
        server = self.answering(503, 200, fields=[("Retry-After", "1")])
        line = self.driver.ask(url=server.url + "/", method="POST", body="x", retry={**self.RETRY, "baseMs": 1})
        self.assertEqual((line["status"], line["attempts"]), (200, 2))
        self.assertGreaterEqual(server.requests[1].time - server.requests[0].time, 1)
        server = self.answering(503, 200, fields=[("Retry-After", "100")])
        line = self.driver.ask(url=server.url + "/", retry=self.RETRY)
        self.assertEqual((line["status"], line["attempts"]), (503, 1), "longer than the longest wait")

    def test_a_cut_connection(self):
        server = self.server(any=lambda request: "close" if len(server.requests) < 3 else ok(request))
        line = self.driver.ask(url=server.url + "/", retry={**self.RETRY, "baseMs": 1})
        self.assertEqual((line["body"], line["attempts"]), ("ok", 3))
        server = self.server(any=lambda request: "close")
        line = self.driver.ask(method="POST", body="x", url=server.url + "/", retry=self.RETRY)
        self.assertIn("connectionClosed", line["error"])
        self.assertEqual((line["attempts"], len(server.requests)), (1, 1), "a POST that may have had its effect")

    def test_a_body_is_sent_again(self):
        content = os.urandom(100_000)
        server = self.answering(503, 200)
        line = self.driver.ask(method="PUT", url=server.url + "/", bodyFile=self.file("body", content), retry=self.RETRY)
        self.assertEqual(line["attempts"], 2)
        self.assertEqual([request.body for request in server.requests], [content, content])

    def test_a_stream_is_repeated_before_its_head(self):
        server = self.answering(503, 200)
        lines = self.driver.stream(url=server.url + "/", stream="bytes", retry=self.RETRY)
        self.assertEqual((lines[0]["status"], lines[0]["attempts"]), (200, 2))
        server = self.answering(503)
        lines = self.driver.stream(url=server.url + "/", stream="bytes", retry=self.RETRY)
        self.assertEqual((lines[0]["status"], lines[0]["attempts"]), (503, 3))
        self.assertEqual(base64.b64decode(lines[1]["chunk64"]), b"body 3")


class Registrations(FieldTest):
    def register(self, **registration):
        self.assertEqual(self.driver.command(register=registration), {"ok": True})

    def test_server_and_api(self):
        server, other = self.server(any=ok), self.server(any=ok)
        self.register(server="main", url=server.url + "/v1/", headers=[["X-Key", "1"], ["X-Key", "2"]])
        self.register(api="item", method="PUT", path="/items/{id}", server="main")
        self.driver.ask(server="main", path="/a b/ü", query={"q": "a&b=c+d", "n": 2, "list": ["x", "y"]})
        self.driver.ask(api="item", path={"id": "7/8"}, query=[["z", "1"], ["a", "2"], ["z", "3"]], body="x")
        first, second = server.requests
        self.assertEqual(first.target, "/v1/a%20b/%C3%BC?list=x&list=y&n=2&q=a%26b%3Dc%2Bd")
        self.assertEqual(first.values("x-key"), ["1", "2"])
        self.assertEqual((second.method, second.target), ("PUT", "/v1/items/7%2F8?z=1&a=2&z=3"))
        self.register(server="main", url=other.url)
        self.driver.ask(api="item", path={"id": 9})
        self.assertEqual(other.requests[0].target, "/items/9")
        self.assertEqual(other.requests[0].values("x-key"), [])

    def test_unknown_aliases(self):
        self.assertIn("unknownServer", self.driver.ask(server="none", path="/")["error"])
        self.assertIn("unknownAPI", self.driver.ask(api="none")["error"])
        self.assertIn("error", self.driver.command(register={"server": "x"}))
        self.assertIn("one of url, api and server", self.driver.ask(path="/")["error"])

    def test_bearer(self):
        tokens, valid = [], []

        def login(request):
            tokens.append("t%d" % (len(tokens) + 1))
            valid[:] = tokens[-1:]
            time.sleep(0.05)
            request.connection.reply(200, json.dumps({"data": {"token": tokens[-1], "lives": lives}}))

        def data(request):
            if request.value("authorization") == "Bearer " + valid[0]:
                request.connection.reply(200, "secret")
            else:
                request.connection.reply(401, "", [("WWW-Authenticate", 'Bearer realm="x"')])

        lives = 3_600
        server = self.server(login=login, data=data)
        bearer = {"url": server.url + "/login", "body": '{"user":"kim"}', "field": "data.token",
                  "expiresField": "data.lives"}
        self.register(server="main", url=server.url, bearer=bearer)
        calls = [self.driver.send(server="main", path="/data") for _ in range(20)]
        self.assertEqual({self.driver.rest(number)[0]["body"] for number in calls}, {"secret"})
        self.assertEqual(tokens, ["t1"], "one login for all")
        login_request = server.seen("/login")[0]
        self.assertEqual((login_request.method, login_request.body), ("POST", b'{"user":"kim"}'))
        self.assertEqual(login_request.value("content-type"), "application/json")
        self.assertIsNone(login_request.value("authorization"))
        valid[:] = ["revoked"]
        calls = [self.driver.send(server="main", path="/data") for _ in range(20)]
        self.assertEqual({self.driver.rest(number)[0]["body"] for number in calls}, {"secret"})
        self.assertEqual(tokens, ["t1", "t2"])

    def test_tokens_that_live_for_a_second(self):
        issued = {}

        def login(request):
            token = "t%d" % (len(issued) + 1)
            issued[token] = time.monotonic() + 1
            request.connection.reply(200, json.dumps({"access_token": token, "expires_in": "1"}))

        def data(request):
            token = (request.value("authorization") or "").removeprefix("Bearer ")
            late = time.monotonic() >= issued.get(token, 0)
            request.connection.reply(401 if late else 200, token)

        server = self.server(token=login, data=data)
        bearer = {"url": server.url + "/token?service=x", "field": "access_token", "expiresField": "expires_in"}
        self.register(server="main", url=server.url, bearer=bearer)
        statuses, end = [], time.monotonic() + 2.5
        while time.monotonic() < end:
            statuses.append(self.driver.ask(server="main", path="/data")["status"])
            time.sleep(0.02)
        self.assertEqual(set(statuses), {200})
        self.assertEqual(server.seen("/token")[0].method, "GET")
        refused = [request for request in server.seen("/data") if request.value("authorization") is None]
        self.assertEqual(refused, [])
        self.assertLessEqual(len(issued), 8, "a token is used for half of its life at least")

    def test_a_login_that_fails(self):
        server = self.server(login=lambda request: request.connection.reply(403, "no"), data=ok)
        self.register(server="main", url=server.url, bearer={"url": server.url + "/login", "body": "a=b"})
        line = self.driver.ask(server="main", path="/data")
        self.assertIn("tokenRefreshFailed", line["error"])
        self.assertEqual(server.seen("/data"), [])
        self.assertEqual(server.seen("/login")[0].value("content-type"), "application/x-www-form-urlencoded")

    def test_concurrency(self):
        running, most, lock = [0], [0], threading.Lock()

        def slow(request):
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            time.sleep(0.03)
            with lock:
                running[0] -= 1
            ok(request)

        server = self.server(slow=slow)
        self.register(server="main", url=server.url, concurrency=3)
        calls = [self.driver.send(server="main", path="/slow") for _ in range(20)]
        for number in calls:
            self.assertEqual(self.driver.rest(number)[0]["body"], "ok")
        self.assertEqual(most[0], 3)


class Guards(FieldTest):
    def test_rate_limit(self):
        server = self.server(any=ok)
        self.driver.command(register={"server": "slow", "url": server.url, "rateLimitPerSecond": 20})
        numbers = [self.driver.send(server="slow", path="/") for _ in range(6)]
        for number in numbers:
            self.assertEqual(self.driver.line(number)["body"], "ok")
        times = sorted(request.time for request in server.requests)
        self.assertGreater(times[-1] - times[0], 0.2)

    def test_breaker(self):
        server = self.server(any=lambda request: request.connection.reply(503))
        breaker = {"failures": 3, "windowMs": 10_000, "openMs": 60_000}
        self.driver.command(register={"server": "down", "url": server.url, "breaker": breaker})
        lines = [self.driver.ask(server="down", path="/", timeoutMs=5_000) for _ in range(6)]
        self.assertEqual(len(server.requests), 3)
        self.assertIn("error", lines[-1])

    def test_retry_budget(self):
        server = self.server(any=lambda request: request.connection.reply(503))
        budget = {"ratio": 0.1, "minPerSecond": 0.1}
        self.driver.command(register={"server": "poor", "url": server.url, "retryBudget": budget})
        retry = {"attempts": 5, "baseMs": 1, "maxMs": 1, "jitter": False}
        for _ in range(10):
            self.driver.ask(server="poor", path="/", retry=retry)
        self.assertLess(len(server.requests), 20)


class Pages(FieldTest):
    def listing(self, respond):
        def page(request):
            fields = dict(pair.split("=") for pair in request.query.split("&") if pair)
            body, headers = respond(fields)
            request.connection.reply(200, json.dumps(body), headers)

        return self.server(list=page)

    def items(self, server, **request):
        lines = self.driver.stream(url=server.url + "/list", **request)
        self.assertIn("end", lines[-1], lines[-1])
        return [line["item"] for line in lines[:-1]]

    def test_link(self):
        def respond(fields):
            page = int(fields.get("p", 1))
            return [page, {"page": page}], [("Link", '</list?p=%d>; rel="next"' % (page + 1))] if page < 3 else []

        server = self.listing(respond)
        items = self.items(server, pages={"style": "link", "items": ""})
        self.assertEqual(items, [1, {"page": 1}, 2, {"page": 2}, 3, {"page": 3}])
        self.assertEqual(len(server.requests), 3)
        self.assertIsNone(server.requests[0].value("accept"))

    def test_next_url(self):
        def respond(fields):
            page = int(fields.get("p", 1))
            return {"result": {"rows": [page]}, "links": {"next": "?p=%d" % (page + 1) if page < 3 else None}}, []

        server = self.listing(respond)
        self.assertEqual(
            self.items(server, pages={"style": "next-url", "items": "result.rows", "next": "links.next"}), [1, 2, 3])

    def test_cursor(self):
        def respond(fields):
            after = int(fields.get("after", 0))
            return {"data": [after], "meta": {"end": after + 1 if after < 3 else None}}, []

        server = self.listing(respond)
        pages = {"style": "cursor", "items": "data", "next": "meta.end", "parameter": "after"}
        self.assertEqual(self.items(server, pages=pages), [0, 1, 2, 3])

    def test_page_and_size(self):
        def respond(fields):
            begin = (int(fields["page"]) - 1) * int(fields["per"])
            return {"data": list(range(7))[begin:begin + int(fields["per"])]}, []

        server = self.listing(respond)
        pages = {"style": "page", "items": "data", "parameter": "page", "size": "per", "sizeValue": 3, "first": 1}
        self.assertEqual(self.items(server, pages=pages), list(range(7)))
        queries = [set(request.query.split("&")) for request in server.requests]
        self.assertEqual(queries, [{"page=%d" % page, "per=3"} for page in (1, 2, 3)])

    def test_offset(self):
        def respond(fields):
            begin = int(fields["start"])
            return list(range(5))[begin:begin + 2], []

        server = self.listing(respond)
        pages = {"style": "offset", "items": "", "parameter": "start"}
        self.assertEqual(self.items(server, pages=pages), [0, 1, 2, 3, 4])
        self.assertEqual([request.query for request in server.requests], ["start=0", "start=2", "start=4", "start=5"])

    def test_take_loads_no_more_pages(self):
        def respond(fields):
            page = int(fields.get("p", 1))
            return [page, -page], [("Link", "<?p=%d>; rel=next" % (page + 1))]

        server = self.listing(respond)
        self.assertEqual(self.items(server, pages={"style": "link", "items": ""}, take=3), [1, -1, 2])
        self.assertEqual(len(server.requests), 2)

    def test_a_page_that_fails(self):
        def page(request):
            if request.query:
                request.connection.reply(500, "broken")
            else:
                request.connection.reply(200, "[1]", [("Link", "</list?p=2>; rel=next")])

        server = self.server(list=page)
        lines = self.driver.stream(url=server.url + "/list", pages={"style": "link", "items": ""})
        self.assertEqual(lines[0]["item"], 1)
        self.assertIn("500", lines[1]["error"])

    def test_a_page_without_a_list(self):
        server = self.listing(lambda fields: ({"data": 1}, []))
        lines = self.driver.stream(url=server.url + "/list", pages={"style": "link", "items": "data"})
        self.assertIn("no list", lines[0]["error"])


class Lines(FieldTest):
    def test_unsupported_fields(self):
        server = self.server(any=ok)
        for field in ({"unheard": 1}, {"model": "error"}, {"stream": "frames"},
                      {"retry": {"attempts": 2, "unheard": 1}}, {"multipart": [{"name": "a", "value": "b", "x": 1}]}):
            line = self.driver.ask(url=server.url + "/", **field)
            self.assertEqual(line, {"id": self.driver.last, "error": "unsupported: field"})
        self.assertEqual(server.requests, [])
        self.assertEqual(
            self.driver.command(register={"server": "x", "url": server.url, "unheard": 1}),
            {"error": "unsupported: field"},
        )
        line = self.driver.ask(url=server.url + "/", unheard=None, model=False)
        self.assertEqual(line["body"], "ok", "null and false ask for nothing")

    def test_malformed_lines(self):
        self.driver.write({"unheard": 1})
        self.assertIn("error", self.driver.commands.get(timeout=20))
        self.driver.process.stdin.write("{not json\n")
        self.driver.process.stdin.flush()
        self.assertIn("error", self.driver.commands.get(timeout=20))
        self.assertIn("error", self.driver.ask(url=5))

    def test_metrics(self):
        server = self.server(any=lambda request: request.connection.reply(503 if len(server.requests) == 1 else 200))
        retry = {"attempts": 2, "baseMs": 1, "maxMs": 5, "jitter": False}
        self.driver.ask(url=server.url + "/", retry=retry)
        metrics = self.driver.command(metrics=True)["metrics"]
        self.assertEqual(metrics["callStarted"], 1)
        self.assertEqual((metrics["attemptStarted"], metrics["retryDecided"], metrics["callSucceeded"]), (2, 1, 1))

    def test_the_end_of_input_waits_for_what_is_in_flight(self):
        release = threading.Event()

        def late(request):
            release.wait(20)
            ok(request)

        server = self.server(late=late)
        number = self.driver.send(url=server.url + "/late")
        server.wait("/late")
        self.driver.process.stdin.close()
        release.set()
        self.assertEqual(self.driver.line(number)["body"], "ok")
        self.assertEqual(self.driver.process.wait(timeout=20), 0)


class Limits(FieldTest):
    options = ("--no-cache", "--max-response", "1000")

    def test_max_response(self):
        def sized(request):
            size = int(request.query)
            request.connection.reply(200, "x" * size)

        def bomb(request):
            request.connection.reply(200, gzip.compress(b"x" * 100_000), [("Content-Encoding", "gzip")])

        server = self.server(sized=sized, bomb=bomb)
        self.assertEqual(len(self.driver.ask(url=server.url + "/sized?1000")["body"]), 1_000)
        self.assertIn("responseTooLarge", self.driver.ask(url=server.url + "/sized?1001")["error"])
        self.assertIn("responseTooLarge", self.driver.ask(url=server.url + "/bomb")["error"])
        lines = self.driver.stream(url=server.url + "/sized?5000", stream="bytes")
        self.assertIn("responseTooLarge", lines[-1]["error"])


class Pauses(FieldTest):
    options = ("--no-cache", "--max-decoded-ratio", "20", "--idle-timeout", "300")

    def test_max_decoded_ratio(self):
        # Bodies of less than 64 KiB are not judged.
        bombs = {"/bomb": b"x" * 4_000_000, "/words": os.urandom(2_000_000)}
        server = self.server(any=lambda request: request.connection.reply(
            200, gzip.compress(bombs[request.path]), [("Content-Encoding", "gzip")]))
        self.assertEqual(len(base64.b64decode(self.driver.ask(url=server.url + "/words")["body64"])), 2_000_000)
        self.assertIn("error", self.driver.ask(url=server.url + "/bomb"))
        self.assertIn("error", self.driver.stream(url=server.url + "/bomb", stream="bytes")[-1])

    def test_idle_timeout(self):
        def stalls(request):
            request.connection.head(200, length=100)
            request.connection.send("x")
            return silent(request)

        def drips(request):
            request.connection.head(200, length=10)
            for _ in range(10):
                request.connection.send("x")
                time.sleep(0.05)

        server = self.server(stalls=stalls, drips=drips)
        self.assertEqual(self.driver.ask(url=server.url + "/drips")["body"], "x" * 10)
        line = self.driver.ask(url=server.url + "/stalls")
        self.assertTrue(line["error"].startswith("timeout"), line)
        self.assertLeaves(server.seen("/stalls")[0])
        self.assertTrue(self.driver.stream(url=server.url + "/stalls", stream="bytes")[-1]["error"].startswith("timeout"))


if __name__ == "__main__":
    unittest.main()
