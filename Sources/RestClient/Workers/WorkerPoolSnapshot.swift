// SPDX-License-Identifier: MIT

/// Who works in a pool, and who waits, at one moment.
///
/// ```swift
/// print(manager.workers.snapshot())
/// // 4 of 4 slots taken, 1 waits
/// // works 12.0 seconds: call-17 GET https://api.example.com/orders, server store
/// // …
/// ```
public struct WorkerPoolSnapshot: Sendable, CustomStringConvertible {
    /// One that works or waits.
    public struct Entry: Sendable, CustomStringConvertible {
        /// What works or waits.
        public enum Work: Sendable, Hashable {
            /// An attempt of a call.
            case call(CallID, RequestSummary)
            /// A local job of that name.
            case localJob(name: String)
        }

        /// What works or waits.
        public let work: Work
        /// The group that it belongs to, if any.
        public let groupID: GroupID?
        /// The server of the call, when it has an alias.
        public let server: ServerAlias?
        /// How early it is served when it has to wait.
        public let priority: JobPriority
        /// How long it has been working, or waiting.
        ///
        /// The first attempt of a call that did not have to wait counts from the beginning of the call.
        public let duration: Duration
        /// Whether it uses, or may use, the slot of the job that started it.
        public let isNested: Bool

        /// The work in a few words, without credentials.
        public var description: String {
            let name =
                switch work {
                case .call(let id, let request): "\(id) \(request)"
                case .localJob(let name): "local job '\(name)'"
                }
            let place = server.map { ", server \($0)" } ?? ""
            let order = priority == .normal ? "" : ", priority \(priority.rawValue)"
            return "\(duration): \(name)\(place)\(order)\(isNested ? ", nested" : "")"
        }
    }

    /// How many may work at once; zero stands for any number.
    public let size: Int
    /// The limits of servers.
    public let limits: [ServerAlias: Int]
    /// How many slots are taken; fewer than work when some use the slot of the job that started them.
    public let runningCount: Int
    /// Those who work, the longest first.
    public let running: [Entry]
    /// Those who wait, the highest priority first, and within a priority the longest first.
    public let waiting: [Entry]

    /// All of it as a list for people.
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
        priority = demand.priority
        duration = max(.zero, now - demand.begun)
        self.isNested = isNested
        server = demand.holder.server
        switch demand.holder {
        case .call(let call):
            work = .call(call.id, call.summary)
            groupID = call.groupID
        case .job(let job):
            work = .localJob(name: job.name)
            groupID = job.groupID
        case .nodes(let nodes):
            work = .localJob(name: nodes.name)
            groupID = nodes.groupID
        }
    }
}
