// SPDX-License-Identifier: MIT

import RestEssentials

struct Compensation: Sendable {
    let name: String
    let timeout: Duration?
    let inputs: [Int]
    let run: @Sendable @concurrent (NodeContext) async throws -> Void

    func perform(_ context: NodeContext) async throws {
        guard let timeout else {
            return try await runOrExplain(context)
        }
        let clock = context.engine.runtime.clock
        let work = Task { try await AbandonableWork.run { try await runOrExplain(context) } }
        let timer = Task {
            try await clock.sleep(for: timeout)
            work.cancel()
        }
        defer { timer.cancel() }
        do {
            try await work.value
        } catch is CancellationError where work.isCancelled {
            throw JobGraphError(
                .timeout,
                "the compensation '\(name)' did not end within \(timeout); check its effect, or allow more time"
            )
        }
    }

    private func runOrExplain(_ context: NodeContext) async throws {
        do {
            try await run(context)
        } catch is NothingToDo {
            throw JobGraphError(
                .missingJobResult,
                "the compensation '\(name)' names a node without a result; name only nodes for which the compensated node "
                    + "waits"
            )
        }
    }
}
