// SPDX-License-Identifier: MIT

import Synchronization

/// The memories of a manager's APIs; all of them begin again when there are too many.
final class HedgeMemories: Sendable {
    private static let capacity = 1_024

    private let memories = Mutex<[GuardKey: HedgeMemory]>([:])

    /// The memory of the API of a call, made on first use; one of its own in each scope.
    subscript(call: CallContext) -> HedgeMemory {
        if let isolation = call.policy.isolation {
            return isolation.state(of: self) { HedgeMemories() }.memory(of: call)
        }
        return memory(of: call)
    }

    private func memory(of call: CallContext) -> HedgeMemory {
        let key = GuardKey(call.identity, setBy: .api)
        return memories.withLock { memories in
            if let known = memories[key] {
                return known
            }
            if memories.count >= Self.capacity {
                memories = [:]
            }
            let new = HedgeMemory()
            memories[key] = new
            return new
        }
    }
}
