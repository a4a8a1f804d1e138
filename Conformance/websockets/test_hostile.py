# SPDX-License-Identifier: MIT
"""Servers that break the rules of RFC 6455 and RFC 7692: each gives its error, and the close code of its rule."""
import unittest
import zlib

from peer import LARGE, PATIENCE, TestCase, frame

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
VIOLATED, LARGER, CUT, REFUSED = "webSocketViolated", "messageTooLarge", "connectionClosed", "handshakeRefused"


def close(code, reason=b""):
    return frame(CLOSE, code.to_bytes(2) + reason)


def deflated(data):
    coder = zlib.compressobj(wbits=-15)
    return (coder.compress(data) + coder.flush(zlib.Z_SYNC_FLUSH))[:-4]


class HostileFrames(TestCase):
    def check(self, rows, error, code, **options):
        """Each script fails the call with the error, and the server gets a close with the code."""
        peer = self.peer(**{"compression": None, **options})
        for name, script in rows.items():
            with self.subTest(name):
                peer.script = script
                lines = self.talk(peer, "/raw")
                self.assertEqual(len(lines), 1, lines)
                self.assertEqual(lines[0].get("error", "").partition(":")[0], error, lines)
                self.assertEqual(peer.closes.get(timeout=PATIENCE), code)

    def check_valid(self, script, *expected, **options):
        """The script is valid: the messages come, and the server is told nothing but the regular end."""
        peer = self.peer(**{"compression": None, **options})
        peer.script = script
        lines = self.talk(peer, "/raw", take=len(expected))
        self.assertEqual(lines, [*({"message": {"text": text}} for text in expected), {"closed": [1000, ""]}])
        self.assertEqual(peer.closes.get(timeout=PATIENCE), 1000)

    # Frames

    def test_reserved_bits_without_an_extension(self):
        self.check({bits: frame(TEXT, b"a", reserved=bits) for bits in range(1, 8)}, VIOLATED, 1002)

    def test_reserved_bits_that_the_extension_gives_no_meaning(self):
        packed = deflated(b"a")
        self.check({
            "second": frame(TEXT, packed, reserved=0b110),
            "third": frame(TEXT, packed, reserved=0b101),
            "on a continuation": frame(TEXT, b"a", final=False) + frame(CONTINUATION, packed, reserved=0b100),
            "on a ping": frame(PING, packed, reserved=0b100),
            "on a close": frame(CLOSE, (1000).to_bytes(2), reserved=0b100),
        }, VIOLATED, 1002, compression="deflate")

    def test_reserved_opcodes(self):
        self.check({code: frame(code) for code in (*range(3, 8), *range(11, 16))}, VIOLATED, 1002)

    def test_masks(self):
        self.check({
            "text": frame(TEXT, b"a", masked=True), "nothing": frame(BINARY, masked=True),
            "ping": frame(PING, masked=True), "close": frame(CLOSE, (1000).to_bytes(2), masked=True),
        }, VIOLATED, 1002)

    def test_long_control_frames(self):
        self.check({code: frame(code, bytes(126)) for code in (CLOSE, PING, PONG)}, VIOLATED, 1002)
        self.check({"no bytes of it": frame(PING, length=70_000)}, VIOLATED, 1002)

    def test_fragmented_control_frames(self):
        self.check({code: frame(code, final=False) for code in (CLOSE, PING, PONG)}, VIOLATED, 1002)

    # Messages

    def test_order_of_fragments(self):
        begun, ended = frame(TEXT, b"a", final=False), frame(CONTINUATION, b"b")
        self.check({
            "a continuation first": ended,
            "a continuation without an end first": frame(CONTINUATION, b"b", final=False),
            "a text within a text": begun + frame(TEXT, b"c"),
            "bytes within a text": begun + frame(BINARY, b"c"),
            "the beginning of a text within a text": begun + begun,
        }, VIOLATED, 1002)

    def test_invalid_text(self):
        wrong = {
            "a lone byte": b"\xff", "a character too long": b"\xc0\x80", "a surrogate": b"\xed\xa0\x80",
            "beyond Unicode": b"\xf4\x90\x80\x80", "half a character": b"a\xe2\x82",
        }
        rows = {name: frame(TEXT, text) for name, text in wrong.items()}
        rows["in two fragments"] = frame(TEXT, b"\xe2", final=False) + frame(CONTINUATION, b"\x28\xa1")
        self.check(rows, VIOLATED, 1007)
        self.check({"compressed": frame(TEXT, deflated(b"\xff"), reserved=0b100)}, VIOLATED, 1007, compression="deflate")

    def test_messages_beyond_the_limit(self):
        self.check({
            "one frame": frame(BINARY, length=LARGE + 1),
            "more than memory": frame(BINARY, length=1 << 40),
            "a length with its highest bit": frame(BINARY, length=1 << 63),
            "too many fragments": frame(BINARY, final=False) + frame(CONTINUATION, final=False) * 16_383,
        }, LARGER, 1009)
        bomb = frame(TEXT, deflated(bytes(LARGE + 1)), reserved=0b100)
        self.check({"once it is decompressed": bomb}, LARGER, 1009, compression="deflate")

    def test_fragments_that_are_too_large_together(self):
        peer = self.peer(compression=None)
        half = bytes(LARGE // 2 + 1)
        peer.script = frame(BINARY, half, final=False) + frame(CONTINUATION, half)
        lines = self.talk(peer, "/raw")
        # The close may be lost with what the client did not read.
        self.assertEqual([line["error"].partition(":")[0] for line in lines], [LARGER])

    def test_damaged_compression(self):
        self.check({
            "noise": frame(TEXT, b"\xff" * 40, reserved=0b100),
            "a distance before the message": frame(TEXT, b"\x4b\x04\x61\x00", reserved=0b100),
        }, VIOLATED, 1002, compression="deflate")

    # Ends

    def test_closes_that_are_none(self):
        self.check({"half a code": frame(CLOSE, b"\x03")}, VIOLATED, 1002)
        codes = (0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535)
        self.check({code: close(code) for code in codes}, VIOLATED, 1002)
        self.check({"reason": close(1000, b"\xff")}, VIOLATED, 1007)

    def test_cuts(self):
        cuts = {
            "at once": b"", "after the first byte": frame(TEXT)[:1], "within a length": frame(TEXT, bytes(300))[:3],
            "within a payload": frame(TEXT, b"abc", length=4), "within a message": frame(TEXT, b"a", final=False),
        }
        peer = self.peer(compression=None)
        for name, script in cuts.items():
            with self.subTest(name):
                peer.script = script
                lines = self.talk(peer, "/cut")
                self.assertEqual([line["error"].partition(":")[0] for line in lines], [CUT])

    # What is odd, but allowed

    def test_a_character_in_two_fragments(self):
        parts = frame(TEXT, b"\xe2", final=False), frame(CONTINUATION, b"\x82", final=False), frame(CONTINUATION, b"\xac")
        self.check_valid(b"".join(parts), "\u20ac")

    def test_control_frames_between_fragments(self):
        script = frame(TEXT, b"a", final=False) + frame(PING, bytes(125)) + frame(PONG) + frame(CONTINUATION, b"b")
        self.check_valid(script + frame(TEXT), "ab", "")

    def test_empty_fragments(self):
        self.check_valid(frame(TEXT, final=False) + frame(CONTINUATION, final=False) * 3 + frame(CONTINUATION, b"a"), "a")

    def test_lengths_that_are_longer_than_needed(self):
        self.check_valid(b"\x81\x7e\x00\x01a" + b"\x81\x7f" + (1).to_bytes(8) + b"b", "a", "b")

    def test_one_message_in_compressed_fragments(self):
        packed = deflated(b"the same words " * 40)
        script = frame(TEXT, packed[:5], final=False, reserved=0b100) + frame(CONTINUATION, packed[5:])
        self.check_valid(script, "the same words " * 40, compression="deflate")

    def test_a_close_without_a_code(self):
        peer = self.peer(compression=None)
        peer.script = frame(CLOSE)
        self.assertEqual(self.talk(peer, "/raw"), [{"closed": [1005, ""]}])
        self.assertEqual(peer.closes.get(timeout=PATIENCE), 1005)

    def test_nothing_is_read_behind_a_close(self):
        peer = self.peer(compression=None)
        peer.script = close(1000, b"bye") + frame(TEXT, b"late") + frame(3)
        self.assertEqual(self.talk(peer, "/raw"), [{"closed": [1000, "bye"]}])


class Handshakes(TestCase):
    def refuse(self, change, error=REFUSED, **request):
        """A response that the change has spoilt fails the call with the error."""
        def process(connection, request, response):
            change(response)
            return response
        lines = self.talk(self.peer(compression=None, process_response=process), "/echo", **request)
        self.assertEqual([line.get("error", "").partition(":")[0] for line in lines], [error], lines)

    @staticmethod
    def field(name, *values):
        """Replaces a field of the response."""
        def change(response):
            if name in response.headers:
                del response.headers[name]
            for value in values:
                response.headers[name] = value
        return change

    def test_proofs(self):
        # The one for the key of the RFC's example.
        example = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        for values in ([], [""], [example], [example, example]):
            with self.subTest(values):
                self.refuse(self.field("Sec-WebSocket-Accept", *values))

    def test_two_proofs(self):
        def change(response):
            response.headers["Sec-WebSocket-Accept"] = response.headers["Sec-WebSocket-Accept"]
        self.refuse(change)

    def test_upgrades(self):
        for values in ([], ["h2c"], ["websockets"]):
            with self.subTest(values):
                self.refuse(self.field("Upgrade", *values))

    def test_connections(self):
        for values in ([], ["keep-alive"], ["close"]):
            with self.subTest(values):
                self.refuse(self.field("Connection", *values))

    def test_extensions_that_were_not_offered(self):
        for value in ("x-other", "permessage-deflate, x-other", "permessage-deflate; x-other",
                      "permessage-deflate; client_max_window_bits=16", "permessage-deflate, permessage-deflate"):
            with self.subTest(value):
                self.refuse(self.field("Sec-WebSocket-Extensions", value))

    def test_subprotocols_that_were_not_offered(self):
        change = self.field("Sec-WebSocket-Protocol", "soap")
        self.refuse(change)
        self.refuse(change, protocols=["chat", "superchat"])
        self.refuse(self.field("Sec-WebSocket-Protocol", "chat", "superchat"), protocols=["chat", "superchat"])

    def test_other_statuses(self):
        peer = self.peer(compression=None)
        peer.steps = ["refuse"]
        lines = self.talk(peer, "/echo")
        self.assertEqual([line["error"].partition(":")[0] for line in lines], ["unacceptableStatus"])

        def change(response):
            response.status_code = 200
        self.refuse(change, "unacceptableStatus")

    def test_no_response(self):
        peer = self.peer(compression=None)
        peer.steps = ["cut"]
        lines = self.talk(peer, "/echo")
        self.assertEqual([line["error"].partition(":")[0] for line in lines], [CUT])


if __name__ == "__main__":
    unittest.main()
