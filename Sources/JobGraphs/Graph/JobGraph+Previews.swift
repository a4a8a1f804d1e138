// SPDX-License-Identifier: MIT

extension JobGraph {
    /// Stores the closure that makes the job of a node without inputs, for inspection before the run.
    mutating func addPreview<each Input: Sendable, Work: Job>(
        of handle: JobHandle<Work.Output>,
        after inputs: repeat JobHandle<each Input>,
        by make: @escaping @Sendable @concurrent (repeat each Input) async throws -> Work
    ) {
        for _ in repeat each inputs {
            return
        }
        let handles = (repeat each inputs)
        previews[handle.index] = { try await make(repeat Self.nothing(for: each handles)) }
    }

    /// Stands in for a result; never called, because only jobs without inputs are previewed.
    private static func nothing<Input>(for handle: JobHandle<Input>) throws -> Input {
        throw NothingToDo()
    }
}
