// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import Synchronization

/// The record of a simulation, with the defects that it shows.
final class Ledger: Sendable {
    private enum CallState {
        case started
        case ended
    }

    private struct State {
        var defects: [String] = []
        var isCrashed = false
        var width = 0
        // Operations.
        var begun = 0
        var open: [Int: String] = [:]
        var outcomes: [String: Int] = [:]
        var jobs: [Int: Set<Int>] = [:]
        // Events of one process.
        var calls: [String: CallState] = [:]
        var numbers: [String: Int] = [:]
        /// The attempts that began and did not end.
        var attempts = 0
        /// The calls that ended before their attempts may have, because others may have shared them.
        var leavers = 0
        var circuits: [String: CircuitState] = [:]
        var kinds: [String: Int] = [:]
        // The wire.
        var exchanges = 0
        var refreshes = 0
        // The cache.
        var floors: [String: Int] = [:]
    }

    /// The field with the number of the latest token at the time when a call began.
    static let tokenField = HTTPField.Name("X-Latest-Token")

    private let state = Mutex(State())

    /// The events that must not have happened.
    var defects: [String] { state.withLock { $0.defects } }

    /// The operations that have not ended.
    var open: [String] { state.withLock { $0.open.sorted { $0.key < $1.key }.map(\.value) } }

    /// How many operations began, and how they ended.
    var counts: (begun: Int, outcomes: [String: Int], kinds: [String: Int]) {
        state.withLock { ($0.begun, $0.outcomes, $0.kinds) }
    }

    func defect(_ text: String) {
        Scheduler.shared.note("DEFECT: \(text)")
        state.withLock { $0.defects.append(text) }
    }

    // MARK: - Processes

    /// A process begins with a pool of a size.
    func processBegan(width: Int) {
        state.withLock { state in
            state.isCrashed = false
            state.width = width
            state.calls = [:]
            state.attempts = 0
            state.leavers = 0
            state.circuits = [:]
            state.jobs = [:]
        }
    }

    /// The process is about to die: its calls may end in any way, but must end.
    func processCrashed() {
        Scheduler.shared.note("the process crashes")
        state.withLock { $0.isCrashed = true }
    }

    /// Checks what must hold when a process has nothing left to do.
    func processEnded() {
        let problems = state.withLock { state -> [String] in
            var problems = state.calls.filter { $0.value == .started }.keys.sorted().map { "\($0) has no last event" }
            // When the last call has left a shared request, no call is left to report its end.
            // A call that is hedged has two of them.
            if !(0...2 * state.leavers).contains(state.attempts) {
                problems.append("\(state.attempts) attempts began and did not end, and \(state.leavers) calls left")
            }
            if state.exchanges != 0 {
                problems.append("\(state.exchanges) exchanges are still under way")
            }
            if state.refreshes != 0 {
                problems.append("\(state.refreshes) refreshes of the token are still under way")
            }
            return problems
        }
        problems.forEach(defect)
    }

    // MARK: - Operations

    func began(_ operation: Operation) {
        Scheduler.shared.note("\(operation) begins")
        state.withLock { state in
            state.begun += 1
            state.open[operation.number] = "\(operation)"
        }
    }

    func ended(_ operation: Operation, _ result: Result<Void, any Error>, wasCancelled: Bool) {
        let (outcome, isCrashed) = state.withLock { state -> (String, Bool) in
            let outcome = Self.outcome(of: result)
            state.outcomes[outcome, default: 0] += 1
            if state.open.removeValue(forKey: operation.number) == nil {
                state.defects.append("\(operation) ended twice")
            }
            return (outcome, state.isCrashed)
        }
        Scheduler.shared.note("\(operation) ends: \(outcome)")
        if isCrashed {
            return
        }
        if outcome == "cancelled", !wasCancelled {
            defect("\(operation) was cancelled by nobody")
        }
        if !Self.explained.contains(outcome), !(outcome == "notCached" && operation.isCacheOnly) {
            defect("\(operation) failed without a reason: \(result)")
        }
    }

    private static let explained: Set<String> = [
        "success", "cancelled", "connectionClosed", "connectionFailed", "timeout", "unacceptableStatus", "circuitOpen",
        "tokenRefreshFailed", "rateLimitExceeded",
    ]

    private static func outcome(of result: Result<Void, any Error>) -> String {
        switch result {
        case .success: "success"
        case .failure(is CancellationError): "cancelled"
        case .failure(let error as RestClientError): error.code.description
        case .failure(let error): "\(type(of: error))"
        }
    }

    // MARK: - The pool

    /// A job of a group of equal jobs began: others before it may hold slots and not have begun, but none may wait.
    func jobBegan(_ index: Int, of operation: Int) {
        let missing = state.withLock { state -> Int in
            state.jobs[operation, default: []].insert(index)
            let begun = state.jobs[operation] ?? []
            return (0..<index).count { !begun.contains($0) } - state.width + 1
        }
        if missing > 0 {
            defect("job \(index) of operation \(operation) overtook \(missing) that waited before it")
        }
    }

    // MARK: - The wire

    func exchangeBegan(_ request: TransportRequest) {
        let problem = state.withLock { state -> String? in
            guard !request.url.hasSuffix("/sign-in") else {
                return nil
            }
            state.exchanges += 1
            if state.exchanges > state.width {
                return "\(state.exchanges) exchanges at once with \(state.width) slots"
            }
            guard let latest = Self.tokenField.flatMap({ request.headers[$0] }).flatMap({ Int($0) }) else {
                return nil
            }
            let sent =
                request.headers[.authorization].flatMap { $0.split(separator: "-").last }.flatMap { Int($0) } ?? 0
            return sent < latest ? "a call was sent with token \(sent) after \(latest) was known" : nil
        }
        if let problem {
            defect(problem)
        }
    }

    func exchangeEnded(_ request: TransportRequest) {
        state.withLock { $0.exchanges -= request.url.hasSuffix("/sign-in") ? 0 : 1 }
    }

    func refreshBegan() {
        let count = state.withLock { state -> Int in
            state.refreshes += 1
            return state.refreshes
        }
        if count > 1 {
            defect("\(count) refreshes of the token at once")
        }
    }

    func refreshEnded() {
        state.withLock { $0.refreshes -= 1 }
    }

    // MARK: - The cache

    /// The number of the request since which stored responses of an item must have been confirmed.
    func floor(of item: String) -> Int { state.withLock { $0.floors[item] ?? 0 } }

    /// The stored responses of an item were invalidated by something that the server did then.
    func invalidated(_ item: String, at serial: Int) {
        state.withLock { $0.floors[item] = max($0.floors[item] ?? 0, serial) }
    }

    // MARK: - Events

    func observe(_ event: ClientEvent) {
        note(event)
        let problem = state.withLock { state -> String? in
            state.kinds[event.kind.name.rawValue, default: 0] += 1
            switch event.kind {
            case .attemptStarted: state.attempts += 1
            case .attemptFinished, .attemptFailed: state.attempts -= 1
            case .circuitChanged(let server, let new):
                let old = state.circuits[server] ?? .closed
                state.circuits[server] = new
                return Self.isLegal(old, new) ? nil : "the breaker of \(server) changed from \(old) to \(new)"
            default: break
            }
            guard let call = event.callID?.description else {
                return nil
            }
            let known = state.calls[call]
            switch event.kind {
            case .callStarted:
                state.calls[call] = .started
                return known == nil ? nil : "\(call) started twice"
            default:
                if event.failureClass == .cancelled || event.failureClass == .timeout {
                    state.leavers += event.isTerminal ? 1 : 0
                }
                if event.isTerminal {
                    state.calls[call] = .ended
                }
                return known == .started ? nil : "\(event) came \(known == nil ? "before the start" : "after the end")"
            }
        }
        if let problem {
            defect(problem)
        }
    }

    /// Notes an event by numbers of its own: those of calls and groups go on from one simulation to the next.
    private func note(_ event: ClientEvent) {
        let ids = [event.callID?.description, event.groupID?.description].compactMap(\.self)
        let numbers = state.withLock { state in
            ids.map { id in
                state.numbers[id] = state.numbers[id] ?? state.numbers.count + 1
                return state.numbers[id] ?? 0
            }
        }
        // Hashes are the same each time: see Simulation.
        Scheduler.shared.mark(event.kind.name.hashValue)
        numbers.forEach(Scheduler.shared.mark)
        Scheduler.shared.note("\(event.kind) of \(numbers)")
    }

    private static func isLegal(_ old: CircuitState, _ new: CircuitState) -> Bool {
        switch (old, new) {
        case (.closed, .open), (.open, .halfOpen), (.halfOpen, .closed), (.halfOpen, .open): true
        default: false
        }
    }
}
