// SPDX-License-Identifier: MIT

/// One way to do the same work.
struct Contender: Sendable {
    let name: String
    /// Does the work so many times.
    let run: @Sendable (_ count: Int) async throws -> Void
}

/// Contenders that do the same work; the first one is what the others are compared with.
struct Comparison: Sendable {
    let title: String
    /// How often a measurement does the work.
    let count: Int
    let contenders: [Contender]
}
