// SPDX-License-Identifier: MIT

/// Lets contenders take turns, so that a machine that changes its speed changes it for all of them.
enum Rounds {
    /// Runs every contender once in each round, in reversed order every other round, after a warm-up.
    static func run(
        _ contenders: [Contender],
        rounds: Int,
        count: Int,
        concurrency: Int
    ) async throws -> [[Measurement]] {
        for contender in contenders {
            _ = try await Measurement.of(contender, count: max(1, count / 10), concurrency: concurrency)
        }
        var results = [[Measurement]](repeating: [], count: contenders.count)
        for round in 0..<rounds {
            let order = round.isMultiple(of: 2) ? Array(contenders.indices) : contenders.indices.reversed()
            for index in order {
                results[index]
                    .append(
                        try await Measurement.of(contenders[index], count: count, concurrency: concurrency)
                    )
            }
        }
        return results
    }
}
