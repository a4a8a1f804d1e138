// SPDX-License-Identifier: MIT

import HTTPTypes
public import JobGraphs
import RestEssentials

/// A call that begins an operation on the server, and then asks for its state until there is a result.
///
/// ```swift
/// let report = try await manager.request(.report).body(query).operation(.standard).send()
/// ```
///
/// ``RequestNode/operation(_:)`` makes one. Nothing happens until it is sent, or run as a job: as a member of a group,
/// as a step of a chain, or as a node of a graph. Its waits hold no worker slot.
public struct LongRunningOperation<Model: Sendable>: Sendable {
    fileprivate let node: RequestNode<Model>
    fileprivate let rule: OperationRule

    /// Begins the operation, and waits for its result.
    ///
    /// - Returns: The model.
    /// - Throws: ``RestClientError``: that of a call; ``RestClientError/Code-swift.struct/operationFailed`` with the
    ///   server's reason if the operation has failed or was cancelled; ``RestClientError/Code-swift.struct/timeout`` if
    ///   it takes longer than the rule allows; ``RestClientError/Code-swift.struct/pageRefused`` if the server gives a
    ///   URL that must not be followed. `CancellationError` when the task is cancelled, which does not end the
    ///   operation on the server.
    @concurrent
    public func send() async throws -> Model {
        try await response(in: nil).model
    }

    /// Begins the operation, and waits for its result.
    ///
    /// - Returns: The model with the metadata of the response that contains it.
    /// - Throws: The errors of ``send()``.
    @concurrent
    public func response() async throws -> Response<Model> {
        try await response(in: nil)
    }
}

extension LongRunningOperation: Job {
    /// Begins the operation as a member of a group, as a step of a chain, or as a node of a graph, and waits for its
    /// result.
    ///
    /// In a run with a journal, the URL of the operation's state is stored: another attempt of the node, or a run that
    /// resumes this one, asks there, and does not begin the operation again.
    ///
    /// - Parameter context: The surroundings of the job.
    /// - Returns: The model.
    /// - Throws: The errors of ``send()``.
    public func run(in context: JobContext) async throws -> Model {
        try await response(in: context).model
    }
}

extension LongRunningOperation: MirroredByDescription {
    /// The method and the target of the request that begins the operation.
    public var description: String { "operation \(node)" }
}

extension RequestNode {
    /// Makes this the request that begins an operation on the server, whose result is the model.
    ///
    /// ```swift
    /// let report = try await manager.request(.report).body(query).operation(.standard).send()
    /// ```
    ///
    /// The server responds with 202 and a URL, for example, and is then asked there with `GET` until the operation has
    /// ended. Each request is an ordinary call with its own attempts and time limit, which ``OperationRule/every(_:)``
    /// completes by one for the whole. It has the options of the node, but neither its body nor its conditions, and
    /// does not use the cache. Handlers of the node receive the result, and the failure of any of the calls.
    ///
    /// The URLs obey the rules of pages: at those of the server of the first request, the options of the node, its API
    /// and its server apply. At any other, the request is sent without the credentials, and in plain HTTP after HTTPS
    /// only if the call's ``CallConfigurable/redirects(_:)`` allow that. A node of an ``APIProvider`` begins no
    /// operation.
    ///
    /// - Parameter rule: The way in which the server says how far the operation is.
    /// - Returns: The operation, to be sent or run.
    public func operation(_ rule: OperationRule) -> LongRunningOperation<Model> {
        LongRunningOperation(node: self, rule: rule)
    }
}

// MARK: - The course of an operation

/// A failure of an operation whose calls have not failed.
private struct OperationDefect: Error {
    let error: RestClientError
}

extension LongRunningOperation {
    private func response(in context: JobContext?) async throws -> Response<Model> {
        let sender: any RequestSender = context?.manager ?? self.node.sender
        var node = self.node
        if let handover = node.handlers.handover {
            // It makes the request that begins the operation, and none of the others.
            node = try await handover(node, context?.previous ?? PreviousResult())
            node.handlers.handover = nil
        }
        guard !node.specification.target.isConfined else {
            throw RestClientError(
                .targetNotExposed,
                "a provider exposes no URLs at which a server has the state of an operation; begin it with the manager"
            )
        }
        let first = try sender.resolve(node.specification)
        let course = OperationCourse(
            node: node,
            rule: rule,
            first: first,
            terms: OperationTerms(
                method: first.method,
                allowsPlainHTTP: first.call.policy.redirects.allowsPlainHTTP,
                wantsResult: Model.self != Void.self
            ),
            sender: sender,
            context: context,
            work: context?.unsafeWork?.next()
        )
        do {
            return try await course.response()
        } catch let defect as OperationDefect {
            let options = first.call.policy.options
            var error = defect.error.readable(in: first.call)
            if let text = options.errorText(of: error) {
                error.parts.message = MessageText.of(text)
            }
            throw options.mapped(error)
        }
    }
}

private struct OperationCourse<Model: Sendable>: Sendable {
    private enum Turn {
        case ended(Response<Model>)
        case running(OperationPosition, wait: Duration?)
        case loading(OperationPosition.Result, after: Response<Model?>)
    }

    let node: RequestNode<Model>
    let rule: OperationRule
    let first: OutgoingRequest
    let terms: OperationTerms
    let sender: any RequestSender
    let context: JobContext?
    /// The operation in the journal; `nil` without one.
    let work: UnsafeWork?

    func response() async throws -> Response<Model> {
        let start = sender.instant
        var turn: Turn
        var count = 0
        if let kept = try work?.kept(as: OperationPosition.self) {
            turn = .running(kept, wait: nil)
        } else {
            turn = try await begin()
            count = 1
        }
        while true {
            switch turn {
            case .ended(let response):
                return response
            case .loading(let place, let last):
                return try await load(place, after: last)
            case .running(let position, let wait):
                if count > 0 {
                    try await pause(after: count, asked: wait, since: start)
                }
                turn = try await ask(at: position)
                count += 1
            }
        }
    }

    private func begin() async throws -> Turn {
        let reply = try await call(node, from: first.url, at: nil, work.map { JournalPass($0) })
        let turn = try await turn(after: reply, from: first.url, at: nil)
        guard case .running(var position, let wait) = turn else {
            return turn
        }
        position.key = work?.key.value
        await work?.keep(position, isSecret: position.isSecret)
        return .running(position, wait: wait)
    }

    private func ask(at position: OperationPosition) async throws -> Turn {
        let reply: Response<Model?>
        do {
            reply = try await call(asking(at: position.address), from: position.address, at: position, nil)
        } catch {
            if Self.isGone(error) {
                // The server no longer knows what became of it.
                await forget(position, isUnknown: true)
            }
            throw error
        }
        let turn = try await turn(after: reply, from: position.address, at: position)
        if case .running(let next, _) = turn, next != position {
            await work?.keep(next, isSecret: next.isSecret)
        }
        return turn
    }

    private func load(_ place: OperationPosition.Result, after last: Response<Model?>) async throws -> Response<Model> {
        let url: String
        switch place {
        case .own: url = first.url
        case .url(let text): url = text
        case .last:
            throw defect(RestClientError(.decodingFailed, "the result has no content", response: last.raw), last)
        }
        return try await send(asking(at: url), nil)
    }

    private func pause(after count: Int, asked: Duration?, since start: Duration) async throws {
        let elapsed = sender.instant - start
        var generator = SystemRandomNumberGenerator()
        guard let delay = rule.policy.delay(after: count, asked: asked, elapsed: elapsed, using: &generator) else {
            throw OperationDefect(
                error: RestClientError(
                    .timeout,
                    "the operation has not ended after \(count) responses in \(elapsed); allow more with "
                        + "OperationRule.every(_:)"
                )
            )
        }
        try await sender.pause(delay)
    }

    // MARK: - Calls

    private func call(
        _ node: RequestNode<Model>,
        from url: String,
        at position: OperationPosition?,
        _ pass: JournalPass?
    ) async throws -> Response<Model?> {
        let whole = node.passingOver { [rule, terms] response in
            (try? rule.reading(response, from: url, at: position, terms)) != OperationReading.succeeded(.last)
        }
        return try await send(whole, pass)
    }

    private func send<Body>(_ node: RequestNode<Body>, _ pass: JournalPass?) async throws -> Response<Body> {
        guard let context else {
            return try await sender.response(node)
        }
        return try await node.response(in: context, pass)
    }

    private func turn(
        after reply: Response<Model?>,
        from url: String,
        at position: OperationPosition?
    ) async throws -> Turn {
        if let response = Response<Model>(withContent: reply) {
            return .ended(response)
        }
        let reading: OperationReading
        do throws(RestClientError) {
            reading = try rule.reading(reply.raw, from: url, at: position, terms)
        } catch {
            throw defect(error, reply)
        }
        switch reading {
        case .running(let next):
            return .running(next, wait: reply.headers.retryDelay(at: sender.now))
        case .succeeded(let place):
            return .loading(place, after: reply)
        case .failed(let reason):
            // The next run begins it again.
            if let position {
                await forget(position, isUnknown: false)
            }
            throw defect(OperationRule.failure(reason, reply.raw), reply)
        }
    }

    private func defect(_ error: RestClientError, _ reply: Response<Model?>) -> OperationDefect {
        var error = error
        error.parts.request = reply.request
        return OperationDefect(error: error)
    }

    /// Returns the node that asks with GET at a URL that the server gave, without the body and the conditions of the
    /// first request.
    private func asking(at url: String) throws -> RequestNode<Model> {
        var node = node.get().accepting(.successful).cache(.networkOnly)
        try node.specification.ask(at: url, after: first)
        return node
    }

    // MARK: - The journal

    private func forget(_ position: OperationPosition, isUnknown: Bool) async {
        guard let work else {
            return
        }
        let isUnsafe = first.call.policy.options.isUnsafe(first.method)
        if isUnsafe {
            // Another attempt of the node would begin it a second time.
            UnsafeEffects.begin()
        }
        await work.forget(isUnknown: isUnknown && isUnsafe, key: position.key)
    }

    private static func isGone(_ error: any Error) -> Bool {
        let status = ErrorOrigin.first(RestClientError.self, behind: error)?.status
        return status == .notFound || status == .gone
    }
}

extension RequestSpecification {
    private static let conditions: Set<HTTPField.Name> = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]

    fileprivate mutating func ask(at url: String, after first: OutgoingRequest) throws {
        isUpload = false
        switch model {
        case .none, .values: break
        // Values may belong to the path, by which the server of the request is found.
        case .body, .content, .payload: model = .none
        }
        options[.isConditional] = nil
        if var headers = options[.headers] {
            headers.remove(
                headers.names.filter { RedirectRule.describesBody($0) || Self.conditions.contains($0) }
            )
            options[.headers] = headers
        }
        try move(toPage: url, after: first, of: OperationRule.what)
    }
}
