// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SharedStore

@Suite struct FreshnessTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var age: Double
        var expiresIn: Double?
        var maxAge: Duration?
        var isFresh: Bool

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "no limits", age: 1e9, isFresh: true),
        Case(name: "the reader's limit is inclusive", age: 60, maxAge: .seconds(60), isFresh: true),
        Case(name: "past the reader's limit", age: 60.001, maxAge: .seconds(60), isFresh: false),
        Case(name: "zero means any age", age: 1e9, maxAge: .zero, isFresh: true),
        Case(name: "less than zero means any age", age: 1e9, maxAge: .seconds(-1), isFresh: true),
        Case(name: "before the writer's expiry", age: 5, expiresIn: 0.001, isFresh: true),
        Case(name: "at the writer's expiry", age: 5, expiresIn: 0, isFresh: false),
        Case(name: "the writer is stricter", age: 5, expiresIn: -1, maxAge: .seconds(60), isFresh: false),
        Case(name: "the reader is stricter", age: 5, expiresIn: 100, maxAge: .seconds(4), isFresh: false),
        Case(name: "zero does not lift the writer's limit", age: 5, expiresIn: -1, maxAge: .zero, isFresh: false),
        Case(name: "stored this moment", age: 0, isFresh: true),
        Case(name: "stored in the future, the age is unknown", age: -0.001, isFresh: false),
        Case(name: "stored in the future, whatever the reader accepts", age: -60, maxAge: .zero, isFresh: false),
    ])
    func `the stricter of reader and writer decides`(_ example: Case) {
        let now = Date(timeIntervalSince1970: 1_700_000_000)

        let isFresh = Freshness.isFresh(
            storedAt: now - example.age,
            expiresAt: example.expiresIn.map { now + $0 },
            maxAge: example.maxAge,
            now: now
        )

        #expect(isFresh == example.isFresh)
    }
}
