// SPDX-License-Identifier: MIT

import Crypto
import HTTPTypes
import JobGraphs
import RestEssentials

/// Loads a file: performs what the machine says, one report after the other.
///
/// For the loop, a round of exchanges that run side by side is one exchange. They are child tasks that make one step
/// each, the head or a chunk, so that all state is in one task.
struct FileDownload: ReconnectingSource {
    private enum Step: Sendable {
        case head(Int, StreamedResponse)
        case chunk(Int, Data?, ByteStream.Iterator)
        case failed(Int, any Error, mayHaveHadEffect: Bool = false)
    }

    /// The outcome of the exchanges that run side by side.
    private enum Outcome {
        case finished
        case paused(any Error)
    }

    private let specification: RequestSpecification
    private let sender: any RequestSender
    /// The requests, which are running together until the end of the download.
    private let series: CallSeries
    private let mapError: ErrorRewrite?
    private let summary: RequestSummary
    /// False if the request may have its effect each time it is sent: then no part of the file is requested by itself.
    private let isResumable: Bool
    private let retry: RetryPolicy?
    private let digests: [DigestField]
    private let reporter: ProgressReporter
    private let file: PartialFile

    var reconnection = ReconnectionStateMachine()
    private var machine: DownloadStateMachine
    /// The exchanges whose events are used, each with its iterator once it can be cancelled.
    private var running: [Int: ByteStream.Iterator?] = [:]
    private var headers: HTTPFields = [:]
    /// The facts about the requests so far.
    private var repetition: Repetition

    init<Model>(
        _ node: RequestNode<Model>,
        to path: String,
        _ policy: DownloadPolicy,
        sha256: Data?,
        _ series: CallSeries,
        handlers: [ProgressSinks.Handler]
    ) throws {
        sender = node.sender
        var specification = node.specification
        // Its events are those of the download.
        specification.series = series.shared
        let request = try sender.resolve(specification)
        summary = request.call.summary
        repetition = Repetition(of: request)
        isResumable = repetition.allows(.nextPart)
        retry = request.call.options[.retry]
        // The machine asks again by itself, and knows what to do with the statuses of ranges.
        specification.options[.retry] = .never
        if isResumable {
            let accepted = request.call.policy.acceptedStatuses
            specification.options[.acceptedStatuses] = accepted.union([204, 205, 206, 304, 412, 416])
        }
        // Its progress is that of the file, and not of one request.
        specification.options[.progress] = .closed
        self.series = series
        self.specification = specification
        mapError = node.errorMapper
        digests = sha256.map { [DigestField(algorithm: .sha256, value: $0)] } ?? []
        reporter = sender.reporter(of: request.call, to: handlers)
        file = try PartialFile(for: path)
        // What dummies sent is not part of what the server has, nor of what those of another scope send.
        let origin = request.call.policy.origin.map { "\n\($0)" } ?? ""
        let source = SHA256.hash(data: Data("\(request.method.rawValue) \(request.url)\(origin)".utf8))
        let state = file.state(of: source.map { String($0, radix: 16) }.joined(separator: "."))
        machine = DownloadStateMachine(policy, state: state, isResumable: isResumable)
        reporter.begin(.received, total: machine.state.total, completed: machine.state.received.count)
    }

    // MARK: - Rounds

    func beginSeries() -> CallSeries { series }

    mutating func connect(in series: CallSeries) -> ReconnectionStateMachine.Action {
        reconnection.opened()
    }

    /// Loads the file, as far as its exchanges bring it.
    mutating func read(_ action: inout ReconnectionStateMachine.Action) async throws -> DownloadedFile? {
        let last = (count: machine.state.received.count, restarts: machine.restarts)
        guard case .paused(let error) = try await round() else {
            return DownloadedFile(length: machine.state.total ?? 0, headers: headers)
        }
        try Task.checkCancellation()
        try await file.keep(machine.state)
        // A round that brought bytes was not in vain, unless they are dropped; those of another version begin from
        // zero.
        if isResumable, machine.state.received.count > last.count || machine.restarts > last.restarts {
            reconnection.received()
        }
        var generator = SecureGenerator()
        action = reconnection.failed(attemptFailure(described(error)), by: retry, using: &generator)
        return nil
    }

    func announce(_ delay: Duration, in series: CallSeries) {
        sender.announce(delay, because: reconnection.cause, in: series)
    }

    func failure(_ error: any Error) async -> CallFailure {
        await sender.failure(described(error), of: specification, mapError)
    }

    /// Ends the progress; if the download failed, the parts that arrived are kept for another time.
    func close(_ error: (any Error)?) async {
        if error == nil {
            reporter.finish(.received)
        } else {
            await file.leave(machine.state)
        }
        reporter.end()
    }

    /// Returns a failure of a request by its original error, which no mapper has replaced.
    ///
    /// An error of the user's own says nothing of what the request did, and its origin may be that of another call.
    private func attemptFailure(_ error: any Error) -> AttemptFailure {
        let known = ErrorOrigin.first(RestClientError.self, behind: error)
        var failure = known.map { AttemptFailure(of: $0, at: sender.now) } ?? AttemptFailure(error)
        failure.repetition.add(repetition)
        if !isResumable, !(error is RestClientError) {
            failure.repetition.mayHaveHadEffect = true
        }
        return failure.seen(as: error)
    }

    /// Returns an error with the request and its effect, also if it is not that of a call.
    private func described(_ error: any Error) -> any Error {
        guard var error = error as? RestClientError else {
            return error
        }
        if repetition.mayHaveHadEffect, (error.unsafeCount ?? 0) == 0 {
            // The machine knows no effects, and a later request may have had none.
            error.unsafeCount = 1
        }
        if error.request == nil {
            error.parts.request = summary
        }
        return error
    }

    // MARK: - Exchanges

    private typealias Exchanges = TaskGroup<Step>

    /// Runs exchanges until the file is there, or none of them goes on.
    private mutating func round() async throws -> Outcome {
        var outcome: Outcome?
        let actions = machine.start()
        var failure: (any Error)?
        await withTaskGroup(of: Step.self) { group in
            do {
                try await perform(actions, &group, &outcome)
                while outcome == nil, let step = await group.next() {
                    try Task.checkCancellation()
                    try await perform(take(step, &group), &group, &outcome)
                }
            } catch {
                failure = error
            }
            running = [:]
            group.cancelAll()
        }
        if let failure {
            throw failure
        }
        guard let outcome else {
            throw CancellationError()
        }
        return outcome
    }

    private mutating func perform(
        _ actions: [DownloadStateMachine.Action],
        _ group: inout Exchanges,
        _ outcome: inout Outcome?
    ) async throws {
        for action in actions {
            switch action {
            case .send(let request):
                running[request.id] = .some(nil)
                send(request, &group)
            case .cancel(let id):
                running.removeValue(forKey: id)??.cancel()
            case .truncate:
                try await file.truncate()
                reporter.restart(.received)
            case .finish(let length, let digest):
                // No request is under way that could fail because of a cancellation.
                let digests = digests + (digest.map { [$0] } ?? [])
                try await file.finish(length: length, digests: digests) { try series.checkCancellation() }
                outcome = .finished
            case .pause(let error):
                outcome = .paused(error)
            case .fail(let error):
                throw error
            }
        }
    }

    private func send(_ request: DownloadRequest, _ group: inout Exchanges) {
        var specification = specification
        for field in request.headers {
            specification.options[.headers, default: HeaderFields()].set(field.name, field.text)
        }
        let sender = sender
        group.addTask { [specification] in
            do throws(CallFailure) {
                return .head(request.id, try await sender.open(specification))
            } catch {
                return .failed(request.id, error.original, mayHaveHadEffect: error.mayHaveHadEffect)
            }
        }
    }

    private static func read(_ id: Int, _ bytes: ByteStream.Iterator, _ group: inout Exchanges) {
        group.addTask {
            var bytes = bytes
            do {
                return .chunk(id, try await bytes.next(isolation: nil), bytes)
            } catch {
                return .failed(id, error)
            }
        }
    }

    private mutating func take(
        _ step: Step,
        _ group: inout Exchanges
    ) async throws -> [DownloadStateMachine.Action] {
        switch step {
        case .head(let id, let response):
            repetition.add(Repetition(mayHaveHadEffect: response.mayHaveHadEffect))
            guard running[id] != nil else {
                return []
            }
            headers = response.headers
            let actions = machine.responded(response.status.code, response.headers, to: id, now: sender.now)
            reporter.setTotal(machine.state.total, .received)
            guard !actions.contains(where: { if case .cancel(id) = $0 { true } else { false } }) else {
                return actions
            }
            let bytes = response.bytes.makeAsyncIterator()
            running[id] = bytes
            Self.read(id, bytes, &group)
            return actions
        case .chunk(let id, let chunk?, let bytes):
            guard running[id] != nil else {
                return []
            }
            let known = machine.state.received.count
            switch machine.received(chunk.count, from: id) {
            case .write(let position):
                do {
                    try file.write(chunk, at: position)
                } catch {
                    machine.lost(position..<position + Int64(chunk.count))
                    throw error
                }
                try await file.keepIfDue(machine.state)
                // Bytes that were there already do not count as progress.
                reporter.add(Int(clamping: machine.state.received.count - known), .received)
                Self.read(id, bytes, &group)
                return []
            case .drop(let actions):
                return actions
            }
        case .chunk(let id, nil, _):
            running[id] = nil
            return machine.ended(id)
        case .failed(let id, let error, let mayHaveHadEffect):
            repetition.add(Repetition(mayHaveHadEffect: mayHaveHadEffect))
            guard running.removeValue(forKey: id) != nil else {
                return []
            }
            guard !(error is CancellationError) else {
                // The call was cancelled among the running ones, and the download with it.
                throw error
            }
            return machine.ended(id, error)
        }
    }
}
