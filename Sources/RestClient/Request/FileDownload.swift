// SPDX-License-Identifier: MIT

import Crypto
import HTTPTypes
import JobGraphs
import RestEssentials

/// Loads a file: performs what the machine says, one report after the other.
///
/// The exchanges are child tasks that make one step each, the head or a chunk, so that all state is in one task.
struct FileDownload {
    /// A step of an exchange.
    private enum Step: Sendable {
        case head(Int, StreamedResponse)
        case chunk(Int, Data?, ByteStream.Iterator)
        case failed(Int, any Error)
    }

    /// The outcome of the exchanges that run side by side.
    private enum Outcome {
        case finished
        case paused(any Error)
    }

    private let specification: RequestSpecification
    private let sender: any CallSender
    /// The requests, which are running together until the end of the download.
    private let series: CallSeries
    private let mapError: ErrorRewrite?
    /// The request as errors show it.
    private let summary: RequestSummary
    /// False if the request is unsafe: it may have its effect each time it is sent.
    private let isIdempotent: Bool
    private let retry: RetryPolicy?
    private let digests: [DigestField]
    private let reporter: ProgressReporter
    private let file: PartialFile

    private var machine: DownloadStateMachine
    /// The exchanges that are heeded, and those of them that can be cancelled.
    private var running: [Int: ByteStream.Iterator?] = [:]
    private var headers: HTTPFields = [:]
    /// True once an unsafe request had an effect, or may have had one.
    private var hadEffect = false

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
        isIdempotent = request.call.policy.options.areIdempotent(request.method)
        retry = request.call.options[.retry]
        // The machine asks again by itself, and knows what to do with the statuses of ranges.
        specification.options[.retry] = .never
        if isIdempotent {
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
        machine = DownloadStateMachine(policy, state: state, isResumable: isIdempotent)
        reporter.begin(.received, total: machine.state.total, completed: machine.state.received.count)
    }

    /// Loads the file; if that fails, the parts that arrived are kept for another time.
    mutating func run() async throws(CallFailure) -> DownloadedFile {
        do {
            try await load()
            reporter.finish(.received)
        } catch {
            await file.leave(machine.state)
            let failure = await sender.failure(described(error), of: specification, mapError)
            reporter.end()
            series.end(.failed(failure))
            throw failure
        }
        reporter.end()
        series.end(.complete)
        return DownloadedFile(length: machine.state.total ?? 0, headers: headers)
    }

    private mutating func load() async throws {
        // The handler of the start has run meanwhile.
        try series.checkCancellation()
        var generator = SecureGenerator()
        var attempt = 1
        var last = (count: machine.state.received.count, restarts: machine.restarts)
        while case .paused(let error) = try await round() {
            try Task.checkCancellation()
            try await file.keep(machine.state)
            let now = (count: machine.state.received.count, restarts: machine.restarts)
            // An attempt that brought bytes was not in vain, unless they are dropped; those of another version begin
            // from zero.
            attempt = isIdempotent && (now.count > last.count || now.restarts > last.restarts) ? 1 : attempt
            last = now
            let error = described(error)
            let decision = retry?
                .decision(
                    after: failure(error),
                    attempt: attempt,
                    remaining: nil,
                    using: &generator
                )
            guard case .retry(let delay)? = decision else {
                throw error
            }
            try await sender.pause(series, for: delay, because: error)
            attempt += 1
        }
    }

    /// Returns a failure of a request by its original error, which no mapper has replaced.
    ///
    /// An error of the user's own says nothing of what the request did, and its origin may be that of another call.
    private func failure(_ error: any Error) -> AttemptFailure {
        guard let known = ErrorOrigin.first(RestClientError.self, behind: error) else {
            return AttemptFailure(error, isRepeatable: isIdempotent)
        }
        let failure = AttemptFailure(of: known, at: sender.now)
        return AttemptFailure(
            error,
            isTransient: failure.isTransient,
            isRepeatable: failure.isRepeatable && !hadEffect && (isIdempotent || error is RestClientError),
            requestedDelay: failure.requestedDelay
        )
    }

    /// Returns an error with the request and its effect, also if it is not that of a call.
    private func described(_ error: any Error) -> any Error {
        guard var error = error as? RestClientError else {
            return error
        }
        if hadEffect, (error.unsafeCount ?? 0) == 0 {
            // The machine knows no effects, and a later request may have had none.
            error.unsafeCount = 1
        }
        if error.request == nil {
            error.parts.request = summary
        }
        return error
    }

    /// Records the effect of a failed request.
    private mutating func noteEffect(of error: any Error) {
        if let count = (error as? RestClientError)?.unsafeCount, count > 0 {
            hadEffect = true
        }
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
        var headers = specification.options[.headers] ?? HeaderFields()
        for field in request.headers {
            headers.set(field.name, field.text)
        }
        specification.options[.headers] = headers
        let sender = sender
        group.addTask { [specification] in
            do throws(CallFailure) {
                return .head(request.id, try await sender.open(specification))
            } catch {
                return .failed(request.id, error.original)
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

    /// Reports a step to the machine.
    private mutating func take(
        _ step: Step,
        _ group: inout Exchanges
    ) async throws -> [DownloadStateMachine.Action] {
        switch step {
        case .head(let id, let response):
            hadEffect = hadEffect || response.mayHaveHadEffect
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
        case .failed(let id, let error):
            noteEffect(of: error)
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
