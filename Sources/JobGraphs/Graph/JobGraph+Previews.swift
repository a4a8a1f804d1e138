// SPDX-License-Identifier: MIT

extension JobGraph {
    /// Keeps how the job of a node is made, for a look before the run; only of a node that needs no other's result.
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

    /// Stands where a result would; never called, as only jobs without inputs are looked at before the run.
    private static func nothing<Input>(for handle: JobHandle<Input>) throws -> Input {
        throw NothingToDo()
    }
}
