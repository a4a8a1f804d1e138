// SPDX-License-Identifier: MIT

/// The key of calls that are alike, of which only one may be under way in a scope of dummies or outside of scopes.
struct DuplicateKey: Sendable, Hashable {
    let text: String
    private let scope: String?

    init(_ text: String, in isolation: CallIsolation?) {
        self.text = text
        scope = isolation?.name
    }
}
