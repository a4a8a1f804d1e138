// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RestClient
@testable import RestClientTesting

@Suite
struct DummyLintTests {
    private let manager = StubbedClient().manager

    private func kinds(_ dummies: Dummy...) async -> [LintIssue.Kind] {
        manager.dummies.removeAll()
        for dummy in dummies {
            manager.dummies.register(dummy)
        }
        return await manager.lintDummies().map(\.kind)
    }

    @Test
    func `a dummy behind one that matches all its requests is never chosen`() async {
        let plain = Dummy(.get, "/a/{x}")
        #expect(await kinds(plain, Dummy(.get, "/a/{y}")) == [.unreachableDummy])
        #expect(await kinds(plain.matching(.query("p", 1)), plain.matching(.query("p", 1))) == [.unreachableDummy])
        #expect(await kinds(plain.scenario("s", in: "b"), plain.scenario("s", becomes: "b")) == [.unreachableDummy])
    }

    @Test
    func `two dummies that a request may match equally are a warning`() async {
        let plain = Dummy(.get, "/a")
        #expect(await kinds(plain.matching(.query("p", 1)), plain.matching(.query("q", 1))) == [.ambiguousDummy])
        let text = await manager.lintDummies().first?.message
        #expect(
            text
                == "a request may match the dummies 'GET /a' (query p is '1') and 'GET /a' (query q is '1') equally, so "
                + "that the one registered last responds; give one of them a priority"
        )
    }

    @Test
    func `dummies that some rule parts are well`() async {
        let plain = Dummy(.get, "/a")
        #expect(await kinds(plain, plain.priority(1)).isEmpty)
        #expect(await kinds(plain.priority(1), plain).isEmpty)
        #expect(await kinds(plain, plain.matching(.query("p", 1))).isEmpty)
        #expect(await kinds(plain, plain.times(1)).isEmpty)
        #expect(await kinds(plain.times(1), plain).isEmpty)
        #expect(await kinds(plain.matching(.query("p", 1)), plain.matching(.query("p", 2))).isEmpty)
        #expect(await kinds(plain.scenario("s", in: "a"), plain.scenario("s", in: "b")).isEmpty)
        #expect(await kinds(plain, Dummy(.post, "/a"), Dummy(nil, "/a"), Dummy(.get, "/a", server: "store")).isEmpty)
        #expect(await kinds(plain.matching(.query("p", 1)), plain.matching(.query("q", 1)).priority(1)).isEmpty)
    }

    @Test
    func `a dummy of an unknown API is reported, with the nearest one`() async {
        manager.apis[APIAlias<Void>("orders")] = API(.get, "/orders")
        #expect(await kinds(Dummy(APIAlias<Void>("orders"))).isEmpty)
        #expect(await kinds(Dummy(APIAlias<Void>("order"))) == [.unknownAlias])
        #expect(
            await manager.lintDummies().first?.message
                == "the dummy 'API order' names the unknown API 'order'; did you mean 'orders'?"
        )
    }
}
