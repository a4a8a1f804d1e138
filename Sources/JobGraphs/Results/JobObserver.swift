// SPDX-License-Identifier: MIT

/// Receives the events of jobs, groups and runs of graphs.
public protocol JobObserver: Sendable {
    /// A Boolean value that is true if events are wanted; while it is false, no event is created.
    var isObserved: Bool { get }

    /// Receives an event; called in order, with no lock held.
    func observe(_ event: JobEvent)
}

extension JobObserver {
    /// True: events are wanted.
    public var isObserved: Bool { true }
}
