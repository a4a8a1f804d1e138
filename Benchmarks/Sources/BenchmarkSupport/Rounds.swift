// SPDX-License-Identifier: MIT

/// Lets contenders take turns, so that a machine that changes its speed changes it for all of them.
public enum Rounds {
    /// Measures every contender once in each round, in reversed order every other round, after a warm-up.
    public static func run<Contender, Measurement>(
        _ contenders: [Contender],
        rounds: Int,
        warmUp: (Contender) async throws -> Void,
        measure: (Contender) async throws -> Measurement
    ) async throws -> [[Measurement]] {
        for contender in contenders { try await warmUp(contender) }
        var results = [[Measurement]](repeating: [], count: contenders.count)
        for round in 0..<rounds {
            let order = round.isMultiple(of: 2) ? Array(contenders.indices) : contenders.indices.reversed()
            for index in order { results[index].append(try await measure(contenders[index])) }
        }
        return results
    }
}
