// SPDX-License-Identifier: MIT

import HTTPTypes

/// Takes a model that comes ahead of the result of its call.
typealias EarlyDelivery<Model> = @Sendable (Model, Answer) async -> Void

/// Runs one call from its node to its decoded response, and sees to it that it ends exactly once.
///
/// What depends on the model's type is kept small: generic code that is not specialised looks its types up at run time.
final class CallRunner: Sendable {
    let core: ClientCore
    let pipeline: Pipeline

    init(core: ClientCore, configuration: RestClientManager.Configuration) {
        self.core = core
        pipeline = Pipeline(core: core, configuration: configuration)
    }

    /// Makes the request that a node describes.
    func resolve(
        _ specification: RequestSpecification,
        id: CallID,
        groupID: GroupID?,
        start: Duration
    ) throws -> ResolvedRequest {
        let builder = RequestBuilder(
            registries: core.registries.snapshot(),
            pipeline: pipeline,
            id: id,
            groupID: groupID,
            start: start
        )
        return try builder.build(specification)
    }

    /// Runs a call.
    ///
    /// - Parameters:
    ///   - node: The request.
    ///   - groupID: The group that the call belongs to, if any.
    ///   - previous: What the call before it in its group brought.
    ///   - early: Takes a stored response ahead of the server's, when the policy is ``CachePolicy/thenNetwork``.
    ///   - failed: Takes how the call failed, before its error is thrown.
    /// - Returns: The model, and the response it was made of.
    /// - Throws: ``RestClientError``, an error of the user's own code, or `CancellationError`.
    func run<Model>(
        _ node: RequestNode<Model>,
        groupID: GroupID? = nil,
        previous: PreviousResult = PreviousResult(),
        early: EarlyDelivery<Model>? = nil,
        failed: ((AttemptFailure) -> Void)? = nil
    ) async throws -> (model: Model, answer: Answer) {
        var call = Call(id: .next(), groupID: groupID, start: core.clock.now())
        defer {
            if let error = call.failure {
                failed?(AttemptFailure(error, cause: call.cause, of: call.context, now: core.now()))
            }
        }
        guard node.rewrites.isEmpty, node.handover == nil else {
            return try await runWithHandlers(node, &call, previous, early)
        }
        do {
            let result = try await exchange(node, &call, early)
            succeed(call, result.answer, result.model)
            return result
        } catch {
            throw fail(&call, error, node.specification)
        }
    }

    /// Runs a call whose node or result is for handlers of the user to change.
    private func runWithHandlers<Model>(
        _ node: RequestNode<Model>,
        _ call: inout Call,
        _ previous: PreviousResult,
        _ early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, answer: Answer) {
        var node = node
        var result: Result<(model: Model, answer: Answer), any Error>
        do {
            if let handover = node.handover {
                node = try await handover(node, previous)
            }
            result = .success(try await exchange(node, &call, Self.rewriting(early, node.rewrites)))
        } catch {
            call.cause = error
            result = .failure(call.annotated(error, node.specification))
        }
        for rewrite in node.rewrites {
            if case .failure(let error) = result, error is CancellationError {
                break
            }
            do {
                let model = try await rewrite(result.map(\.model))
                let answer = Self.answer(to: call, replacing: result, node.specification, now: core.clock.now())
                result = .success((model, answer))
            } catch {
                result = .failure(call.annotated(error, node.specification))
            }
        }
        do {
            let result = try result.get()
            succeed(call, result.answer, result.model)
            return result
        } catch {
            throw fail(&call, error, node.specification)
        }
    }

    /// Sends the request, checks and decodes the response, and stores it last of all.
    private func exchange<Model>(
        _ node: RequestNode<Model>,
        _ call: inout Call,
        _ early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, answer: Answer) {
        let resolved = try resolve(node.specification, id: call.id, groupID: call.groupID, start: call.start)
        let context = resolved.request.call
        call.context = context
        core.hub.emit(.callStarted, context)
        var request = resolved.request
        if context.policy.cache.mode != .networkOnly {
            request.caching = Self.ticket(
                resolved,
                node.decoding,
                takeEarly: takeEarly(resolved, node.decoding, early, call)
            )
        }
        var raw = try await pipeline.stages(for: context.method, context.policy).send(request)
        // An error keeps the response, and must not keep equal calls or other processes waiting.
        defer { raw.caching?.write?.release() }
        var received = core.clock.now()
        let model: Model
        do {
            model = try Self.model(of: raw, resolved, node.decoding)
        } catch let error as RestClientError
            where raw.source.isCache && raw.caching?.failure == nil && raw.status != .notModified
            && (error.code == .decodingFailed || error.code == .unacceptableStatus)
        {
            // A stored response that the cache did not or could not decode by itself, as an interceptor has to change it first,
            // and that does not decode any more, or has another status than this call wants, is none.
            if context.policy.cache.migration.migrate != nil,
                let decoded = try? Self.decoded(raw, resolved, node.decoding)
            {
                model = decoded.model
                raw.body = decoded.body
                raw.caching = raw.caching?.migrated()
            } else {
                request.ignoresStored = true
                raw = try await pipeline.stages(for: context.method, context.policy).send(request)
                received = core.clock.now()
                model = try Self.model(of: raw, resolved, node.decoding)
            }
        }
        try Task.checkCancellation()
        var now = core.clock.now()
        context.note { $0.decode(from: received, to: now) }
        if let caching = raw.caching, let write = caching.write {
            let storing = await write.commit(decodedFrom: raw.body, hub: core.hub, call: context)
            raw.caching = caching.settled(storing)
            now = core.clock.now()
        }
        if let explanation = raw.caching?.explanation {
            core.cacheTally.count(explanation, api: context.api)
        }
        if !context.policy.invalidates.isEmpty {
            await core.invalidate(context.policy.invalidates, because: context)
        }
        let answer = Answer(
            raw: raw,
            callID: call.id,
            attempts: context.attempts,
            duration: now - call.start,
            origin: .context(context)
        )
        return (model, answer)
    }
}

// MARK: - Beginning and end

extension CallRunner {
    /// A call as its runner knows it, which may be before its target is resolved.
    private struct Call {
        let id: CallID
        let groupID: GroupID?
        let start: Duration
        var context: CallContext?
        /// The error before the user's handlers changed it, and the one that is thrown.
        var cause: (any Error)?
        var failure: (any Error)?

        func origin(_ specification: RequestSpecification) -> ResponseOrigin {
            context.map(ResponseOrigin.context) ?? .unresolved(RequestSummary(of: specification))
        }

        /// What is thrown for an error: a cancelled task's is always a `CancellationError`.
        func annotated(_ error: any Error, _ specification: RequestSpecification) -> any Error {
            if Task.isCancelled {
                return CancellationError()
            }
            guard var error = error as? RestClientError, error.request == nil else {
                return error
            }
            error.request = origin(specification).summary
            error.attempts = context?.attempts ?? 0
            error.timings = context?.timings
            return error
        }

        /// The error that the mappers of the levels make of an error, the innermost first.
        func mapped(_ error: any Error, _ specification: RequestSpecification) -> any Error {
            let options = context?.policy.options ?? specification.options
            guard let mappers = options[.errorMappers] else {
                return error
            }
            var error = error
            for mapper in mappers.reversed() {
                guard let known = error as? RestClientError else {
                    break
                }
                error = mapper(known)
            }
            return error
        }
    }

    private func succeed(_ call: Call, _ answer: Answer, _ model: @autoclosure () -> any Sendable) {
        guard core.hub.isObserved else {
            return
        }
        if call.context == nil {
            emit(.callStarted, call, answer.origin)
        }
        emit(.modelLoaded(model(), source: answer.raw.source), call, answer.origin)
        emit(
            .callSucceeded(status: answer.raw.status, source: answer.raw.source, duration: answer.duration),
            call,
            answer.origin
        )
    }

    /// Tells of the end of a call that failed; returns what to throw.
    private func fail(_ call: inout Call, _ error: any Error, _ specification: RequestSpecification) -> any Error {
        if call.context == nil {
            emit(.callStarted, call, call.origin(specification))
        }
        let cause = call.annotated(error, specification)
        call.failure = cause
        let error = call.mapped(cause, specification)
        emit(error is CancellationError ? .callCancelled : .callFailed(error), call, call.origin(specification))
        return error
    }

    private func emit(
        _ kind: @autoclosure () -> ClientEvent.Kind,
        _ call: Call,
        _ origin: @autoclosure () -> ResponseOrigin
    ) {
        guard core.hub.isObserved else {
            return
        }
        let (kind, origin) = (kind(), origin())
        core.hub.emit(
            ClientEvent(
                kind,
                callID: call.id,
                groupID: call.groupID,
                request: origin.summary,
                timings: kind.isTerminal ? origin.timings : nil
            )
        )
    }

    /// What stands for the response of a call whose result a handler replaced.
    private static func answer<Model>(
        to call: Call,
        replacing result: Result<(model: Model, answer: Answer), any Error>,
        _ specification: RequestSpecification,
        now: Duration
    ) -> Answer {
        let raw: RawResponse?
        switch result {
        case .success(let result): raw = result.answer.raw
        case .failure(let error): raw = (error as? RestClientError)?.response
        }
        return Answer(
            raw: raw ?? RawResponse(source: .resultHandler),
            callID: call.id,
            attempts: call.context?.attempts ?? 0,
            duration: now - call.start,
            origin: call.origin(specification)
        )
    }
}

// MARK: - The response

extension CallRunner {
    /// What the cache needs to know of a call that it has to do with.
    private static func ticket<Model>(
        _ resolved: ResolvedRequest,
        _ decoding: ResponseDecoding<Model>,
        takeEarly: (@Sendable (RawResponse) async -> Void)?
    ) -> CacheTicket {
        let probe = AnswerProbe { try decoded($0, resolved, decoding) }
        return CacheTicket(probe: probe, takeEarly: takeEarly)
    }

    /// The model of a response; of one that was stored in an older form, after the user's code has brought it into today's.
    static func decoded<Model>(
        _ raw: RawResponse,
        _ resolved: ResolvedRequest,
        _ decoding: ResponseDecoding<Model>
    ) throws -> DecodedModel<Model> {
        do {
            return DecodedModel(model: try model(of: raw, resolved, decoding), body: raw.body)
        } catch let error as RestClientError where error.code == .decodingFailed {
            var migrated = raw
            guard let body = resolved.request.call.policy.cache.migration.body(instead: raw) else {
                throw error
            }
            migrated.body = body
            return DecodedModel(model: try model(of: migrated, resolved, decoding), body: body)
        }
    }

    /// Decodes a stored response that comes ahead of the server's, and hands it on.
    private func takeEarly<Model>(
        _ resolved: ResolvedRequest,
        _ decoding: ResponseDecoding<Model>,
        _ early: EarlyDelivery<Model>?,
        _ call: Call
    ) -> (@Sendable (RawResponse) async -> Void)? {
        guard let early else {
            return nil
        }
        return { [clock = core.clock, id = call.id, start = call.start] raw in
            guard let model = try? Self.model(of: raw, resolved, decoding) else {
                return
            }
            let answer = Answer(
                raw: raw,
                callID: id,
                attempts: 0,
                duration: clock.now() - start,
                origin: .context(resolved.request.call)
            )
            await early(model, answer)
        }
    }

    /// Lets the handlers that replace results see the stored response too.
    private static func rewriting<Model>(
        _ early: EarlyDelivery<Model>?,
        _ rewrites: [ResultRewrite<Model>]
    ) -> EarlyDelivery<Model>? {
        guard let early, !rewrites.isEmpty else {
            return early
        }
        return { model, answer in
            var result: Result<Model, any Error> = .success(model)
            for rewrite in rewrites {
                do { result = .success(try await rewrite(result)) } catch { result = .failure(error) }
            }
            if case .success(let model) = result {
                await early(model, answer)
            }
        }
    }

    /// Checks the status and decodes the model, unless the cache has done both for the same response.
    private static func model<Model>(
        of raw: RawResponse,
        _ resolved: ResolvedRequest,
        _ decoding: ResponseDecoding<Model>
    ) throws -> Model {
        if let decoded = raw.caching?.decoded as? DecodedModel<Model>, decoded.body == raw.body {
            return decoded.model
        }
        try checkStatus(of: raw, resolved.request.call)
        return try decode(raw, resolved, decoding)
    }

    private static func checkStatus(of raw: RawResponse, _ call: CallContext) throws {
        guard call.policy.acceptedStatuses.contains(raw.status) else {
            if let failure = raw.caching?.failure {
                throw failure
            }
            throw RestClientError(
                .unacceptableStatus,
                "the server answered \(raw.status.description)",
                response: raw
            )
        }
    }

    private static func decode<Model>(
        _ raw: RawResponse,
        _ resolved: ResolvedRequest,
        _ decoding: ResponseDecoding<Model>
    ) throws -> Model {
        do {
            return try decoding.decode(raw, resolved.dogma, resolved.dogmaRequest)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw decodingFailure(error, raw, Model.self)
        }
    }

    private static func decodingFailure(_ error: any Error, _ raw: RawResponse, _ model: Any.Type) -> RestClientError {
        let reason =
            raw.body.isEmpty
            ? "its body is empty; use an optional model, or Void, for answers without a body"
            : DecodingReason.describe(error)
        return RestClientError(
            .decodingFailed,
            "the response (\(raw.status.code), \(raw.body.count) bytes) is no \(model): \(reason)",
            response: raw,
            underlying: error
        )
    }
}
