// SPDX-License-Identifier: MIT

import RestEssentials

struct PollLoop: Sendable {
    let name: String
    let policy: PollPolicy

    func run<Model: Sendable>(
        _ context: NodeContext,
        _ isDone: @Sendable (Model) throws -> Bool,
        _ ask: @Sendable (Int) async throws -> Model
    ) async throws -> Model {
        let clock = context.engine.runtime.clock
        let start = clock.now()
        var attempt = 1
        while true {
            let model = try await ask(attempt)
            if try isDone(model) {
                return model
            }
            let elapsed = clock.now() - start
            var generator = SplitMix64(seed: context.engine.nextSeed())
            guard let delay = policy.delay(after: attempt, elapsed: elapsed, using: &generator) else {
                throw JobGraphError(
                    .pollExhausted,
                    "the node '\(name)' ran \(attempt) times in \(elapsed) without a result that meets its condition; "
                        + "allow more attempts or a longer limit"
                )
            }
            try await context.pause(for: delay)
            attempt += 1
        }
    }
}
