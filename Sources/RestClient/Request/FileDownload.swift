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
    private let mapError: ErrorRewrite?
    private let retry: RetryPolicy?
    private let digests: [DigestField]
    private let report: (@Sendable (TransferProgress) -> Void)?
    private let file: PartialFile

    private var machine: DownloadStateMachine
    private var meter: ProgressMeter
    /// The exchanges that are heeded, and those of them that can be cancelled.
    private var running: [Int: ByteStream.Iterator?] = [:]
    private var head: StreamedResponse?

    init<Model>(
        _ node: RequestNode<Model>,
        to path: String,
        _ policy: DownloadPolicy,
        sha256: Data?,
        report: (@Sendable (TransferProgress) -> Void)?
    ) throws {
        sender = node.sender
        let request = try sender.resolve(node.specification)
        retry = request.call.options[.retry]
        var specification = node.specification
        // The machine asks again by itself.
        specification.options[.retry] = .never
        self.specification = specification
        mapError = node.errorMapper
        digests = sha256.map { [DigestField(algorithm: .sha256, value: $0)] } ?? []
        self.report = report
        file = try PartialFile(for: path)
        let source = SHA256.hash(data: Data("\(request.method.rawValue) \(request.url)".utf8))
        let state = file.state(of: source.map { String($0, radix: 16) }.joined(separator: "."))
        machine = DownloadStateMachine(policy, state: state)
        meter = ProgressMeter(total: state.total, completed: state.received.count, now: sender.now)
    }

    /// Loads the file; what is there stays for another time if it fails.
    mutating func run() async throws -> DownloadedFile {
        do {
            try await load()
        } catch {
            try? file.keep(machine.state)
            throw await mapError?(error) ?? error
        }
        if let news = meter.finish(at: sender.now) {
            report?(news)
        }
        return DownloadedFile(length: machine.state.total ?? 0, response: head)
    }

    private mutating func load() async throws {
        var generator = SystemRandomNumberGenerator()
        var attempt = 1
        var last = machine.state.received.count
        while case .paused(let error) = try await round() {
            try Task.checkCancellation()
            try file.keep(machine.state)
            let count = machine.state.received.count
            // What brought bytes is not in vain.
            attempt = count > last ? 1 : attempt
            last = count
            let known = error as? RestClientError
            let decision = known.flatMap { known in
                retry?.decision(
                    after: AttemptFailure(of: known, at: Date()),
                    attempt: attempt,
                    remaining: nil,
                    using: &generator
                )
            }
            guard case .retry(let delay)? = decision else {
                throw error
            }
            try await sender.pause(delay)
            attempt += 1
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
                try perform(actions, &group, &outcome)
                while outcome == nil, let step = await group.next() {
                    try Task.checkCancellation()
                    try perform(take(step, &group), &group, &outcome)
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
    ) throws {
        for action in actions {
            switch action {
            case .send(let request):
                running[request.id] = .some(nil)
                send(request, &group)
            case .cancel(let id):
                running.removeValue(forKey: id)??.cancel()
            case .truncate:
                try file.truncate()
                tell(meter.restart(from: 0, total: nil, at: sender.now))
            case .finish(let length, let digest):
                try file.finish(length: length, digests: digests + (digest.map { [$0] } ?? []))
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
            headers.set(field.name, field.value)
        }
        specification.options[.headers] = headers
        let sender = sender
        group.addTask { [specification] in
            do {
                return .head(request.id, try await sender.open(specification, mapError: nil))
            } catch {
                return .failed(request.id, error)
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
    ) throws -> [DownloadStateMachine.Action] {
        switch step {
        case .head(let id, let response):
            guard running[id] != nil else {
                return []
            }
            head = response
            let actions = machine.responded(response.status.code, response.headers, to: id, now: Date())
            meter.setTotal(machine.state.total)
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
            switch machine.received(chunk.count, from: id) {
            case .write(let position):
                try file.write(chunk, at: position)
                try file.keepIfDue(machine.state)
                tell(meter.add(Int64(chunk.count), at: sender.now))
                Self.read(id, bytes, &group)
                return []
            case .drop(let actions):
                return actions
            }
        case .chunk(let id, nil, _):
            running[id] = nil
            return machine.ended(id)
        case .failed(let id, let error):
            guard running.removeValue(forKey: id) != nil else {
                return []
            }
            if let error = error as? RestClientError, let response = error.response, [412, 416].contains(response.status.code) {
                return machine.responded(response.status.code, response.headers, to: id, now: Date())
            }
            return machine.ended(id, error)
        }
    }

    private func tell(_ news: TransferProgress?) {
        if let news {
            report?(news)
        }
    }
}
