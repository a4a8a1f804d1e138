# SPDX-License-Identifier: MIT
"""The driver's WebSockets against the server of the PyPI package `websockets`.

    CONFORMANCE_DRIVER=path/to/conformance-driver python3 -m unittest discover Conformance/websockets
"""
import base64
import hashlib
import os
import unittest

from peer import LARGE, TestCase
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory


class WebSockets(TestCase):
    def test_text_and_bytes_with_each_agreement(self):
        agreements = {
            "no compression": dict(compression=None),
            "compression": dict(compression="deflate"),
            "no context": dict(compression=None, extensions=[
                ServerPerMessageDeflateFactory(server_no_context_takeover=True, client_no_context_takeover=True)]),
            "small windows": dict(compression=None, extensions=[
                ServerPerMessageDeflateFactory(server_max_window_bits=9, client_max_window_bits=9)]),
        }
        long = "the same words, \u00fc\U0001f600 " * 3_000
        noise = base64.b64encode(os.urandom(100_000)).decode()
        for name, options in agreements.items():
            with self.subTest(name):
                peer = self.peer(**options)
                send = [{"text": "a"}, {"text": long}, {"base64": noise}, {"text": long}, {"text": ""}]
                lines = self.talk(peer, "/echo", send=send, take=5)
                self.assertEqual(lines[:5], [{"message": message} for message in send])
                self.assertEqual(lines[-1], {"closed": [1000, ""]})
                expected = [] if name == "no compression" else ["PerMessageDeflate"]
                self.assertEqual(peer.seen[0]["extensions"], expected)

    def test_fragments(self):
        for compression in (None, "deflate"):
            lines = self.talk(self.peer(compression=compression), "/fragments", take=2)
            self.assertEqual(lines[0], {"message": {"text": "one two three"}})
            self.assertEqual(base64.b64decode(lines[1]["message"]["base64"]), b"\x00" + b"\xff" * 70_000)

    def test_large_messages(self):
        content = bytes(range(256)) * (LARGE // 256)
        for compression in (None, "deflate"):
            peer = self.peer(compression=compression)
            lines = self.talk(peer, "/large", take=1)
            self.assertEqual(base64.b64decode(lines[0]["message"]["base64"]), content)
        lines = self.talk(
            self.peer(), "/digest", send=[{"base64": base64.b64encode(content).decode()}], take=1)
        self.assertEqual(
            lines[0], {"message": {"text": "%d %s" % (LARGE, hashlib.sha256(content).hexdigest())}})

    def test_pings(self):
        peer = self.peer()
        lines = self.talk(peer, "/pings", take=1)
        self.assertEqual(lines[0], {"message": {"text": "all came"}})
        self.assertTrue(peer.seen[0]["pongs"])

    def test_close_codes(self):
        peer = self.peer()
        for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 4999):
            with self.subTest(code):
                lines = self.talk(peer, "/close", send=[{"text": str(code)}])
                self.assertEqual(lines, [{"closed": [code, "bye %d" % code]}])

    def test_many_messages(self):
        lines = self.talk(self.peer(), "/many", take=2_000)
        self.assertEqual(lines[1_999], {"message": {"text": "the same words with the number 1999"}})


if __name__ == "__main__":
    unittest.main()
