// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

/// The choice of the dummy that responds, without locks, clocks or calls.
@Suite
struct DummyRegistryStateTests {
    private let registry = DummyRegistry()
    private var state = DummyRegistry.State()

    private func responder(_ dummy: Dummy) -> DummyResponder {
        DummyResponder(dummy, registry: registry)
    }

    private func call(_ path: String = "/a", _ responder: DummyResponder? = nil) -> (_ number: Int) -> DummyCall {
        let url = "https://api.example.com\(path)"
        let request = DummyRequest(method: .get, url: url, headers: [:], body: nil, api: nil)
        let context = DummyContext(directory: nil)
        return { number in
            DummyCall(
                number: number,
                request: request,
                responder: responder,
                mode: .strict,
                nearest: nil,
                context: context
            )
        }
    }

    @Test
    mutating func `the first free dummy responds, and its calls are numbered`() {
        let once = responder(Dummy(.get, "/a").times(2))
        let ever = responder(Dummy(.get, "/a"))
        state.add(once)
        state.add(ever)
        let choices = (0..<4).compactMap { _ in state.choose(among: [once, ever]) }
        #expect(choices.map(\.index) == [0, 0, 1, 1])
        #expect(choices.map(\.number) == [1, 2, 1, 2])
        #expect(state.obstacle(to: once) == "used up after its 2 calls")
        #expect(state.obstacle(to: ever) == nil)
    }

    @Test
    mutating func `a dummy that was removed meanwhile does not respond`() {
        let dummy = responder(Dummy(.get, "/a"))
        state.add(dummy)
        state.remove(dummy.id)
        #expect(state.choose(among: [dummy]) == nil)
        #expect(state.obstacle(to: dummy) == "removed")
    }

    @Test
    mutating func `a scenario advances when the dummy that advances it is chosen, and not before`() {
        let empty = responder(Dummy(.get, "/cart").scenario("cart", in: Dummy.startState))
        let full = responder(Dummy(.get, "/cart").scenario("cart", in: "full"))
        let fill = responder(Dummy(.post, "/cart").scenario("cart", becomes: "full"))
        for dummy in [empty, full, fill] {
            state.add(dummy)
        }
        #expect(state.state(of: "cart") == "start")
        #expect(state.choose(among: [full, empty])?.index == 1)
        #expect(state.obstacle(to: full) == "scenario 'cart': in 'start' instead of 'full'")
        #expect(state.choose(among: [fill])?.number == 1)
        #expect(state.choose(among: [full, empty])?.index == 0)
        state.setState("other", of: "cart")
        #expect(state.choose(among: [full, empty]) == nil)
        #expect(state.choose(among: [fill])?.number == 2)
        #expect(state.state(of: "cart") == "full")
    }

    @Test
    mutating func `a reset restores the state of the registration`() {
        let once = responder(Dummy(.get, "/a").times(1).scenario("s", becomes: "done"))
        state.add(once)
        _ = state.choose(among: [once])
        state.log(call("/a", once))
        #expect(state.choose(among: [once]) == nil)
        state.reset()
        #expect(state.calls.isEmpty)
        #expect(state.state(of: "s") == "start")
        #expect(state.choose(among: [once])?.number == 1)
    }

    @Test
    mutating func `the log of calls is limited`() {
        state.callLimit = 3
        for number in 1...5 {
            state.log(call("/\(number)"))
        }
        #expect(state.calls.map(\.number) == [3, 4, 5])
        #expect(state.droppedCallCount == 2)
        state.callLimit = 1
        #expect(state.calls.map(\.number) == [5])
        state.callLimit = -1
        state.log(call())
        #expect(state.calls.isEmpty)
    }
}
