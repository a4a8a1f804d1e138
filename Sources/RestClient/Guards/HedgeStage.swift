// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import Synchronization

/// Sends a safe request a second time when the first one takes long; only calls with that option pass it.
///
/// It stands behind retries, for which both requests are one attempt, and before the limits of the server, which hold
/// for each. Each request is a branch of the call, so that the facts of the loser never mix with those of the response.
struct HedgeStage: Interceptor {
    private enum Event: Sendable {
        case end(Result<RawResponse, any Error>, CallContext, after: Duration)
        case time
    }

    /// The end of a request, and the branch of the call for which it was sent.
    private typealias Outcome = (result: Result<RawResponse, any Error>, winner: CallContext)

    /// The least time between two looks at a request that still waits for its turn.
    private static let leastDelay = Duration.milliseconds(10)

    let memories: HedgeMemories
    let hub: EventHub
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        guard let hedging = call.options[.hedging], !call.policy.isStreamed, Repetition(of: request).allows(.hedge)
        else {
            return try await next(request)
        }
        let memory = memories[call]
        let began = clock.now()
        guard let delay = memory.delay(hedging, at: began) else {
            let response = try await next(request)
            if Self.isGood(response, call) {
                memory.learn(clock.now() - began)
            }
            return response
        }
        return try await call.waits { try await race(request, next, memory, hedging, delay) }
    }

    private func race(
        _ request: OutgoingRequest,
        _ next: Next,
        _ memory: HedgeMemory,
        _ hedging: Hedging,
        _ delay: Duration
    ) async throws -> RawResponse {
        let call = request.call
        let first = call.branch()
        var second: CallContext?
        let outcome = await withTaskGroup(of: Event.self) { group -> Outcome in
            defer { group.cancelAll() }
            group.addTask { await send(request, next, first) }
            group.addTask { await pause(delay) }
            var underWay = 1
            var failure: Outcome?
            while let event = await group.next() {
                switch event {
                case .time:
                    guard second == nil, !Task.isCancelled else {
                        continue
                    }
                    guard first.facts.request.wire != nil else {
                        // It waits for its turn: a second request would only wait behind it.
                        group.addTask { await pause(max(delay, Self.leastDelay)) }
                        continue
                    }
                    // An interceptor may have made an unsafe request of it.
                    guard Repetition(of: request.moved(to: first)).allows(.hedge),
                        memory.take(hedging, at: clock.now())
                    else {
                        continue
                    }
                    let branch = call.branch()
                    second = branch
                    underWay += 1
                    hub.emit(.callHedged(after: delay), call)
                    call.tell("attempt \(first.latestAttempt) took longer than \(delay), and a second request was sent")
                    group.addTask { await send(request, next, branch) }
                case .end(let result, let branch, let latency):
                    if case .success(let response) = result, Self.isGood(response, call) {
                        memory.learn(latency)
                        return (result, branch)
                    }
                    underWay -= 1
                    // The first failure stands if the other request fails too.
                    failure = failure ?? (result: result, winner: branch)
                    if underWay == 0, let failure {
                        return failure
                    }
                }
            }
            return (.failure(CancellationError()), first)
        }
        if let second, case .success = outcome.result {
            call.tell("the \(outcome.winner === second ? "second" : "first") request was faster")
        }
        call.follow(outcome.winner)
        return try outcome.result.get()
    }

    private func send(_ request: OutgoingRequest, _ next: Next, _ branch: CallContext) async -> Event {
        let began = clock.now()
        do {
            return .end(.success(try await next(request.moved(to: branch))), branch, after: clock.now() - began)
        } catch {
            return .end(.failure(error), branch, after: clock.now() - began)
        }
    }

    private func pause(_ delay: Duration) async -> Event {
        try? await clock.sleep(for: delay)
        return .time
    }

    private static func isGood(_ response: RawResponse, _ call: CallContext) -> Bool {
        GuardOutcome(response.status, accepted: call.policy.acceptedStatuses) == .success
    }
}

/// The memories of a manager's APIs; all of them begin again when there are too many.
final class HedgeMemories: Sendable {
    private static let capacity = 1_024

    private let memories = Mutex<[GuardKey: HedgeMemory]>([:])

    /// The memory of the API of a call, made on first use; each scope has another one.
    subscript(call: CallContext) -> HedgeMemory {
        let key = GuardKey(call.identity, setBy: .api)
        let scoped = call.policy.isolation?.state(of: self) { HedgeMemories() } ?? self
        return scoped.memories.withLock { memories in
            if memories.count >= Self.capacity, memories[key] == nil {
                memories = [:]
            }
            let memory = memories[key] ?? HedgeMemory()
            memories[key] = memory
            return memory
        }
    }
}

/// The times of the latest responses of an API, and the number of its hedges.
final class HedgeMemory: Sendable {
    private struct State {
        var latencies: [Duration] = []
        var counts = RetryCounts()
        /// The latest delay, with the rule that it is for and the number of responses since.
        var known: (hedging: Hedging, delay: Duration?, age: Int)?
    }

    /// The number of responses after which a percentile is computed again, because sorting takes long.
    private static let refresh = 16

    private let state = Mutex(State())

    /// Counts a call, and returns when it is hedged.
    func delay(_ hedging: Hedging, at now: Duration) -> Duration? {
        state.withLock { state in
            state.counts.countCall(hedging.room, at: now)
            if let known = state.known, known.hedging == hedging, known.age < Self.refresh {
                return known.delay
            }
            let delay = hedging.delay(after: state.latencies)
            state.known = (hedging, delay, 0)
            return delay
        }
    }

    /// Takes one hedge from the budget; returns false if it allows none.
    func take(_ hedging: Hedging, at now: Duration) -> Bool {
        state.withLock { $0.counts.takeRetry(hedging.room, at: now) }
    }

    func learn(_ latency: Duration) {
        state.withLock { state in
            state.latencies.append(latency)
            if state.latencies.count > Hedging.memory {
                state.latencies.removeFirst()
            }
            // Without enough responses there was no delay: look again at once.
            let step = state.known?.delay == nil ? Self.refresh : 1
            state.known?.age += step
        }
    }
}
