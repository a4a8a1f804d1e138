// SPDX-License-Identifier: MIT

/// One way to do the same work.
struct Contender: Sendable {
    /// The part that is measured.
    typealias Work = @Sendable () async throws -> Void

    let name: String
    /// The divisor of the number of repetitions, for contenders that would take too long.
    let share: Int
    /// Makes ready to do the work so many times.
    let prepare: @Sendable (_ count: Int) throws -> Work

    /// Creates a contender that has nothing to make ready.
    init(name: String, run: @escaping @Sendable (_ count: Int) async throws -> Void) {
        self.init(name: name, share: 1) { count in { try await run(count) } }
    }

    /// Creates a contender.
    init(name: String, share: Int = 1, prepare: @escaping @Sendable (_ count: Int) throws -> Work) {
        self.name = name
        self.share = share
        self.prepare = prepare
    }
}

/// Contenders that do the same work; the first one is what the others are compared with.
struct Comparison: Sendable {
    let title: String
    /// How often a measurement does the work.
    let count: Int
    let contenders: [Contender]
}
