// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
public import SharedStore
import Synchronization

/// Asks a server whether it can be reached, on request or in intervals.
///
/// ```swift
/// let probe = manager.reachability(of: .store)
/// let watch = probe.watch(every: .seconds(20))
/// for await state in probe.states { banner.isHidden = state != .unreachable }
/// ```
///
/// A probe advises, and never blocks a call: what it says may have changed by the time of the next call. While it sees
/// the server as unreachable, calls that wait before another attempt, because they had no response, do not wait longer
/// than until the server can be reached again.
///
/// The server is asked with `HEAD` at its address, by the manager's transport alone: without tokens, workers, guards,
/// retries, dummies and events of a call. Any response counts.
public final class ReachabilityProbe: Sendable {
    /// The parts of a manager with which servers are asked.
    struct Means: Sendable {
        let transport: any Transport
        let clock: ClientClock
        let hub: EventHub
        let request: @Sendable (ServerAlias) throws -> TransportRequest
    }

    private struct Content {
        var machine = ReachabilityStateMachine()
        var watchers = Watchers<Reachability>()
    }

    /// The server.
    public let server: ServerAlias

    private let content = Mutex(Content())
    private let means: Means

    init(_ server: ServerAlias, _ means: Means) {
        self.server = server
        self.means = means
    }

    /// The state that the latest check found; nothing is asked.
    public var state: Reachability { content.withLock { $0.machine.state } }

    /// Asks the server now.
    ///
    /// - Parameter timeout: The time for which to wait for a response; 5 seconds by default.
    /// - Returns: The state.
    /// - Throws: ``RestClientError`` when the server is not registered, its address is wrong, or its key is pinned and
    ///   the transport does not check that; `CancellationError` when the task is cancelled. A server that does not
    ///   respond, or shows another key than the pinned ones, causes no error.
    @discardableResult
    public func check(timeout: Duration = .seconds(5)) async throws -> Reachability {
        var message = try means.request(server)
        message.timeout = timeout
        try message.check(over: means.transport)
        let (request, transport) = (message, means.transport)
        let check = content.withLock { $0.machine.begin() }
        var isReachable = true
        do {
            _ = try await means.clock.limit(
                timeout,
                error: { .timedOut(after: timeout) },
                operation: { try await transport.send(request) }
            )
        } catch {
            try Task.checkCancellation()
            isReachable = false
        }
        let (change, wakeups) = content.withLock { content in
            let change = content.machine.end(check, isReachable: isReachable)
            return (change, change.map { content.watchers.offer($0) } ?? [])
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
        if let change {
            means.hub.emit(ClientEvent(.reachabilityChanged(server: server.rawValue, change)))
        }
        return state
    }

    /// Asks the server at once, and then again and again.
    ///
    /// - Parameter interval: The time between a response and the next check, at least a second; 30 seconds by default.
    /// - Returns: The token with whose cancellation or release the checks end.
    public func watch(every interval: Duration = .seconds(30)) -> ObservationToken {
        let (clock, pause) = (means.clock, max(interval, .seconds(1)))
        let task = Task { [weak self] in
            while !Task.isCancelled, self != nil {
                _ = try? await self?.check()
                do {
                    try await clock.sleep(for: pause)
                } catch {
                    return
                }
            }
        }
        return ObservationToken { task.cancel() }
    }

    // MARK: - Waiting

    /// Waits until the state differs from the given one; `nil` when the task is cancelled.
    func change(from seen: Reachability?) async -> Reachability? {
        while !Task.isCancelled {
            let id = content.withLock { $0.watchers.enter() }
            let hasChanged = await Watchers<Reachability>.Parking
                .wait { continuation in
                    content.withLock { content in
                        content.watchers.park(id, continuation, content.machine.state) { $0 != seen }
                    }
                } onCancel: {
                    content.withLock { $0.watchers.leave(id) }
                }
            // It may have changed back in the meantime.
            if hasChanged, case let now = state, now != seen {
                return now
            }
        }
        return nil
    }

    /// Waits for a time; if the server is unreachable now, no longer than until it can be reached.
    func pause(for delay: Duration) async throws {
        guard state == .unreachable else {
            try await means.clock.sleep(for: delay)
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.means.clock.sleep(for: delay) }
            group.addTask { _ = await self.change(from: .unreachable) }
            _ = try await group.next()
            try Task.checkCancellation()
        }
    }
}

extension ReachabilityProbe {
    /// The states from now on: the current one, then each change, until the reading task is cancelled.
    ///
    /// A slow reader skips intermediate states and always receives the latest one.
    public var states: some AsyncSequence<Reachability, Never> & Sendable { States(probe: self) }

    private struct States: AsyncSequence, Sendable {
        let probe: ReachabilityProbe

        func makeAsyncIterator() -> Iterator { Iterator(probe: probe) }

        struct Iterator: AsyncIteratorProtocol {
            let probe: ReachabilityProbe
            private var last: Reachability?

            init(probe: ReachabilityProbe) {
                self.probe = probe
            }

            /// Waits for a change; `nil` when the task is cancelled.
            mutating func next() async -> Reachability? {
                last = await probe.change(from: last)
                return last
            }
        }
    }
}
