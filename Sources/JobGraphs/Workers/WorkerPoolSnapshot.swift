// SPDX-License-Identifier: MIT

import RestEssentials

/// The running and the waiting work of a pool at one moment.
///
/// ```swift
/// print(runtime.workers.snapshot())
/// // 4 of 4 slots taken, 1 waits
/// // works 12.0 seconds: local job 'import'
/// // …
/// ```
public struct WorkerPoolSnapshot: Sendable, CustomStringConvertible {
    /// Work that runs or waits.
    public struct Entry: Sendable, CustomStringConvertible {
        /// A short description of the work, without credentials, as in `local job 'save'`.
        public let name: String
        /// The work itself, for callers that know its type; `nil` for the user's own work.
        package let subject: (any Sendable)?
        /// The group to which it belongs, if any.
        public let groupID: GroupID?
        /// The key of ``WorkerPool/limits-swift.property`` that applies to the work, if any.
        package let limitKey: String?
        /// The priority with which it is served.
        public let priority: JobPriority
        /// The time for which it has been running, or waiting.
        ///
        /// The first attempt of a call that did not have to wait counts from the start of the call.
        public let duration: Duration
        /// A Boolean value that is true if it uses, or may use, the slot of the job that started it.
        package let isNested: Bool

        /// A short description of the entry, without credentials.
        public var description: String {
            let place = limitKey.map { ", limited as \($0)" } ?? ""
            let order = priority == .normal ? "" : ", priority \(priority.rawValue)"
            return MessageText.of("\(duration): \(name)\(place)\(order)\(isNested ? ", nested" : "")")
        }
    }

    /// The number of slots; zero means no limit.
    public let size: Int
    /// The limits of keys.
    public let limits: [String: Int]
    /// The number of taken slots; nested work may use the slot of the job that started it.
    public let runningCount: Int
    /// The running work, the longest first.
    public let running: [Entry]
    /// The waiting work, the highest priority first, and within a priority the longest first.
    public let waiting: [Entry]

    /// A readable list of the entries.
    public var description: String {
        let slots = size == 0 ? "\(runningCount) slots taken" : "\(runningCount) of \(size) slots taken"
        let head = "\(slots), \(waiting.count) \(waiting.count == 1 ? "waits" : "wait")"
        let lines = running.map { "works \($0)" } + waiting.map { "waits \($0)" }
        return ([head] + lines).joined(separator: "\n")
    }
}

extension WorkerPoolSnapshot {
    init(of machine: WorkerPoolStateMachine, now: Duration) {
        size = machine.size
        limits = machine.limits
        runningCount = machine.running
        running = machine.holders
            .map { Entry($0.demand, isNested: $0.isNested, now: now) }
            .sorted { $0.duration > $1.duration }
        waiting = machine.waiters.map { Entry($0.demand, isNested: $0.isNested, now: now) }
    }
}

extension WorkerPoolSnapshot.Entry {
    init(_ demand: SlotDemand, isNested: Bool, now: Duration) {
        name = demand.holder.words(for: demand.index)
        subject = demand.holder.subject
        groupID = demand.holder.groupID
        limitKey = demand.holder.limitKey
        priority = demand.priority
        duration = max(.zero, now - demand.since)
        self.isNested = isNested
    }
}
