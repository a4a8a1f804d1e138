// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// A part of a program whose calls report their progress as a sum.
final class ProgressScope: Sendable {
    struct Member: Sendable, Hashable {
        let call: CallID
        let direction: CallProgress.Direction
    }

    private struct State {
        var sum = ProgressSum<Member>()
        var told: TransferProgress?
        var toldAt: Duration?
    }

    static let scopes = TaskScope<ProgressScope>(endsWithOperation: true)

    private static let interval: Duration = .milliseconds(100)

    private let clock: ClientClock
    private let direction: CallProgress.Direction?
    private let delivery: LatestDelivery<Int, TransferProgress>
    private let state = Mutex(State())

    /// Creates a scope, which counts the bodies of one direction, or of both.
    init(
        clock: ClientClock,
        _ direction: CallProgress.Direction?,
        _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) {
        self.clock = clock
        self.direction = direction
        delivery = LatestDelivery(handler)
    }

    func update(_ call: CallID, _ progress: CallProgress) {
        guard direction == nil || direction == progress.direction else {
            return
        }
        change { $0.update(Member(call: call, direction: progress.direction), progress.transfer) }
    }

    func end(_ call: CallID) {
        change { sum in
            for direction in CallProgress.Direction.allCases {
                sum.finish(Member(call: call, direction: direction))
            }
        }
    }

    /// Reports the last sum, if it has not been reported.
    func finish() {
        let turn = state.withLock { state -> Int? in
            let last = state.sum.progress
            defer { state.told = last }
            return last == state.told || last == TransferProgress() ? nil : delivery.add(last, for: 0)
        }
        if let turn {
            delivery.deliver(turn)
        }
    }

    private func change(_ change: (inout ProgressSum<Member>) -> Void) {
        let now = clock.now()
        let turn = state.withLock { state -> Int? in
            change(&state.sum)
            let progress = state.sum.progress
            guard progress != state.told, state.toldAt.map({ now - $0 >= Self.interval }) ?? true else {
                return nil
            }
            state.told = progress
            state.toldAt = now
            // Under the lock, so that no older sum comes behind a newer one.
            return delivery.add(progress, for: 0)
        }
        if let turn {
            delivery.deliver(turn)
        }
    }
}

/// Adds up the progress of several transfers, as of a group or a graph, without I/O.
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
