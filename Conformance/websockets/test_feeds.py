# SPDX-License-Identifier: MIT
"""Feeds: WebSockets that are opened again after an interruption, with waits that grow as long as nothing comes."""
import unittest

from peer import TestCase

RETRY = {"attempts": 5, "baseMs": 60, "maxMs": 200, "jitter": False}


class Feeds(TestCase):
    def follow(self, *steps, **request):
        """Lets a feed read from a server that does these steps; returns the peer, and what came."""
        peer = self.peer(compression=None)
        peer.steps = list(steps)
        request = {"retry": RETRY, "send": [{"text": "subscribe"}], **request}
        lines = self.talk(peer, "/feed", reconnect=True, **request)
        self.assertEqual(len(peer.times), len(steps))
        # Whatever happened before, each connection is told the same.
        told = [seen["messages"] for seen in peer.seen]
        self.assertEqual(told, [["subscribe"]] * sum(isinstance(step, tuple) for step in steps))
        return peer, [line["message"]["text"] if "message" in line else line for line in lines]

    def waits(self, peer):
        return [later - earlier for earlier, later in zip(peer.times, peer.times[1:])]

    def test_a_feed_goes_on_after_each_interruption(self):
        codes = (1001, 1011, 1012, 1013, 1014, None)
        steps = [([str(code)], code) for code in codes]
        _, lines = self.follow(*steps, (["last"], 1000))
        self.assertEqual(lines, [*(str(code) for code in codes), "last", {"end": True}])

    def test_waits_grow_until_a_message_comes(self):
        peer, lines = self.follow((["a"], 1012), "cut", ([], 1012), "cut", (["b"], 1012), (["c"], 1000))
        self.assertEqual(lines, ["a", "b", "c", {"end": True}])
        # After a message the first wait; then twice as long each time, up to the longest.
        for wait, least in zip(self.waits(peer), (0.06, 0.06, 0.12, 0.2, 0.06)):
            self.assertGreaterEqual(wait, least)

    def test_a_feed_gives_up_after_its_attempts(self):
        retry = {**RETRY, "attempts": 3, "baseMs": 10}
        _, lines = self.follow((["a"], 1012), "cut", "cut", "cut", retry=retry)
        self.assertEqual(lines[0], "a")
        self.assertEqual(lines[1]["error"].partition(":")[0], "connectionClosed")

    def test_what_ends_a_feed(self):
        for code in (1002, 1003, 1007, 1008, 1009, 1010, 3000, 4999):
            with self.subTest(code):
                _, lines = self.follow((["a"], code))
                self.assertEqual(lines[0], "a")
                self.assertEqual(lines[1]["error"].partition(":")[0], "webSocketClosed")
        _, lines = self.follow((["a"], 1012), "refuse")
        self.assertEqual(lines[1]["error"].partition(":")[0], "unacceptableStatus")

    def test_enough(self):
        _, lines = self.follow((["a"], 1012), (["b", "c", "d"], 1000), take=2)
        self.assertEqual(lines, ["a", "b", {"end": True}])


if __name__ == "__main__":
    unittest.main()
