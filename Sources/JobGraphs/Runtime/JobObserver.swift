// SPDX-License-Identifier: MIT

/// Is told of what happens in jobs, groups and runs of graphs.
public protocol JobObserver: Sendable {
    /// A Boolean value that is true if someone listens; while it is false, no event is made.
    var isObserved: Bool { get }

    /// Takes an event; called in order, outside of every lock.
    func observe(_ event: JobEvent)
}

extension JobObserver {
    /// True: someone listens.
    public var isObserved: Bool { true }
}
