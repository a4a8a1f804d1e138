// SPDX-License-Identifier: MIT

import RestEssentials

/// Adds up the progress of several transfers, as of a group or a graph: pure.
struct ProgressSum<ID: Hashable & Sendable>: Sendable {
    private var members: [ID: TransferProgress] = [:]
    private var completed: Int64 = 0
    private var total: Int64 = 0
    private var unknownCount = 0
    private var finished: Set<ID> = []

    /// The sum: the total is known if that of each transfer is, the rate is that of all that run.
    var progress: TransferProgress {
        let rates = members.filter { !finished.contains($0.key) }.compactMap(\.value.rate)
        return TransferProgress(
            completed: completed,
            total: unknownCount == 0 && !members.isEmpty ? total : nil,
            rate: rates.isEmpty ? nil : rates.reduce(0, +)
        )
    }

    /// Takes the progress of a transfer in place of its last one; one that has ended may begin again.
    mutating func update(_ id: ID, _ progress: TransferProgress) {
        finished.remove(id)
        replace(id, progress)
    }

    /// Takes the end of a transfer, whatever its outcome: what it transferred stays, what it did not is not waited for.
    mutating func finish(_ id: ID) {
        guard var last = members[id] else {
            return
        }
        last.total = last.completed
        replace(id, last)
        finished.insert(id)
    }

    private mutating func replace(_ id: ID, _ progress: TransferProgress) {
        if let last = members.updateValue(progress, forKey: id) {
            completed = completed.addingClamped(-last.completed)
            if let part = last.total {
                total = total.addingClamped(-part)
            } else {
                unknownCount -= 1
            }
        }
        completed = completed.addingClamped(progress.completed)
        if let part = progress.total {
            total = total.addingClamped(part)
        } else {
            unknownCount += 1
        }
    }
}
