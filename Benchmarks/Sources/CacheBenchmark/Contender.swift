// SPDX-License-Identifier: MIT

/// One way to obtain the same response.
struct Contender: Sendable {
    let name: String
    /// Gets the response with that number.
    let answer: @Sendable (_ number: Int) async throws -> Void
}

/// Contenders that give the same; the first one is what the others are compared with.
struct Comparison: Sendable {
    let title: String
    let contenders: [Contender]
}
