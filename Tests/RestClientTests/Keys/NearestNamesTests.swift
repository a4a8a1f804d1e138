// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct NearestNamesTests {
    @Test(arguments: [
        ("ordres", ["orders", "users", "login"], ["orders"]),
        ("ORDERS", ["orders"], ["orders"]),
        ("user", ["users", "user-list", "useds"], ["users", "useds"]),
        ("id", ["x", "no", "it", "page"], ["it"]),
        ("x", ["y", "X"], ["X"]),
        ("", ["", "a"], []),
        ("zzzzzzz", ["orders"], []),
        ("anything", [], []),
    ])
    func `the names most alike come first`(name: String, candidates: [String], nearest: [String]) {
        #expect(NearestNames.of(name, among: candidates) == nearest)
    }

    @Test
    func `at most three names are given`() {
        #expect(NearestNames.of("a1", among: ["a2", "a3", "a4", "a5"]) == ["a2", "a3", "a4"])
    }

    @Test
    func `a long list of names is cut off`() {
        let names = (1...20).map { "registered-name-\($0)" }
        let hint = NearestNames.hint(for: "x", among: names)
        #expect(hint.hasPrefix("registered: registered-name-1, "))
        #expect(hint.hasSuffix(", …"))
    }
}
