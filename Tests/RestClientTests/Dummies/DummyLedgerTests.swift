// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

/// What decides who answers, without lock, clock or call.
@Suite
struct DummyLedgerTests {
    private let registry = DummyRegistry()
    private var ledger = DummyLedger()

    private func responder(_ dummy: Dummy) -> DummyResponder {
        DummyResponder(dummy, registry: registry)
    }

    private func request(_ path: String = "/a") -> DummyRequest {
        DummyRequest(method: .get, url: "https://api.example.com\(path)", headers: [:], body: nil, api: nil)
    }

    @Test
    mutating func `the first that is free answers, and its calls are numbered`() {
        let once = responder(Dummy(.get, "/a").times(2))
        let ever = responder(Dummy(.get, "/a"))
        ledger.add(once)
        ledger.add(ever)
        let claims = (0..<4).compactMap { _ in ledger.claim([once, ever]) }
        #expect(claims.map(\.index) == [0, 0, 1, 1])
        #expect(claims.map(\.number) == [1, 2, 1, 2])
        #expect(ledger.hindrance(of: once) == "used up after its 2 calls")
        #expect(ledger.hindrance(of: ever) == nil)
    }

    @Test
    mutating func `one that was removed meanwhile does not answer`() {
        let dummy = responder(Dummy(.get, "/a"))
        ledger.add(dummy)
        ledger.remove(dummy.id)
        #expect(ledger.claim([dummy]) == nil)
        #expect(ledger.hindrance(of: dummy) == "removed")
    }

    @Test
    mutating func `a scenario goes on when the dummy that leads on is chosen, and not before`() {
        let empty = responder(Dummy(.get, "/cart").scenario("cart", in: Dummy.startState))
        let full = responder(Dummy(.get, "/cart").scenario("cart", in: "full"))
        let fill = responder(Dummy(.post, "/cart").scenario("cart", becomes: "full"))
        for dummy in [empty, full, fill] {
            ledger.add(dummy)
        }
        #expect(ledger.state(of: "cart") == "start")
        #expect(ledger.claim([full, empty])?.index == 1)
        #expect(ledger.hindrance(of: full) == "scenario 'cart': in 'start' instead of 'full'")
        #expect(ledger.claim([fill])?.number == 1)
        #expect(ledger.claim([full, empty])?.index == 0)
        ledger.setState("other", of: "cart")
        #expect(ledger.claim([full, empty]) == nil)
        #expect(ledger.claim([fill])?.number == 2)
        #expect(ledger.state(of: "cart") == "full")
    }

    @Test
    mutating func `a reset makes everything as it was registered`() {
        let once = responder(Dummy(.get, "/a").times(1).scenario("s", becomes: "done"))
        ledger.add(once)
        _ = ledger.claim([once])
        ledger.record(request(), DummyContext(registries: RegistrySnapshot(), prefix: ""), answeredBy: once, .strict)
        #expect(ledger.claim([once]) == nil)
        ledger.reset()
        #expect(ledger.calls.isEmpty)
        #expect(ledger.state(of: "s") == "start")
        #expect(ledger.claim([once])?.number == 1)
    }

    @Test
    mutating func `only so many calls are remembered`() {
        let context = DummyContext(registries: RegistrySnapshot(), prefix: "")
        ledger.callLimit = 3
        for number in 1...5 {
            ledger.record(request("/\(number)"), context, answeredBy: nil, .strict)
        }
        #expect(ledger.calls.map(\.number) == [3, 4, 5])
        #expect(ledger.forgottenCount == 2)
        ledger.callLimit = 1
        #expect(ledger.calls.map(\.number) == [5])
        ledger.callLimit = -1
        ledger.record(request(), context, answeredBy: nil, .strict)
        #expect(ledger.calls.isEmpty)
    }
}
