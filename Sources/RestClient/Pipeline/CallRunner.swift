// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

/// Runs one call from its node to its decoded response, and ensures that it ends exactly once.
///
/// Code that depends on the model's type is kept small, because unspecialized generic code looks up its types at run
/// time.
final class CallRunner: Sendable {
    let core: ClientCore
    let pipeline: Pipeline
    private let memo = RequestMemo()

    init(core: ClientCore) {
        self.core = core
        pipeline = Pipeline(core: core)
    }

    /// Resolves the request of a node.
    func resolve(_ specification: RequestSpecification, _ beginning: CallBeginning) throws -> ResolvedRequest {
        let surroundings = CallSurroundings.current(core)
        let registries = core.registries.snapshot(in: surroundings.environment)
        let specification = specification.reporting(to: ProgressScope.scopes)
        let (request, isKnown) = try memo.request(specification, registries, surroundings)
        var resolved = request.resolved(beginning)
        resolved.isKnown = isKnown
        return resolved
    }

    /// Runs a call.
    ///
    /// - Parameters:
    ///   - node: The request.
    ///   - groupID: The group that the call belongs to, if any.
    ///   - previous: The result of the call before it in its group.
    ///   - early: Receives a stored response before the server's, if the policy is ``CachePolicy/thenNetwork``.
    ///   - failed: Receives the failure of the call, and the error that handlers replaced, before its error is thrown.
    /// - Returns: The model, and the response from which it was decoded.
    /// - Throws: ``RestClientError``, an error of the user's own code, or `CancellationError`.
    func run<Model>(
        _ node: RequestNode<Model>,
        groupID: GroupID? = nil,
        previous: PreviousResult = PreviousResult(),
        early: EarlyDelivery<Model>? = nil,
        failed: FailureDelivery? = nil
    ) async throws -> (model: Model, details: ResponseDetails) {
        if node.hasHandlers, case let callbacks = node.handlers.callbacks, !callbacks.isEmpty {
            var silent = node
            silent.handlers.callbacks = RequestCallbacks()
            return try await notifying(callbacks, early, failed) { early, failed, progress in
                var silent = silent
                if let progress {
                    silent.specification.report(to: progress)
                }
                return try await self.run(silent, groupID: groupID, previous: previous, early: early, failed: failed)
            }
        }
        var call = Call(core: core, beginning: CallBeginning(id: .next(), groupID: groupID, start: core.clock.now()))
        defer {
            if let error = call.failure {
                var failure = AttemptFailure(error, cause: call.cause, of: call.context, now: core.now())
                failure.takeRetry = call.context.flatMap(core.guards.retries)
                failed?(failure, call.cause as? RestClientError)
            }
        }
        if node.hasHandlers {
            return try await runWithHandlers(node, &call, previous, early)
        }
        do {
            let result = try await exchange(node, &call, early)
            succeed(call, result.details, result.model)
            return result
        } catch {
            throw fail(&call, error, node.specification)
        }
    }

    /// Runs a call with handlers that may change its node or its result.
    private func runWithHandlers<Model>(
        _ node: RequestNode<Model>,
        _ call: inout Call,
        _ previous: PreviousResult,
        _ early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, details: ResponseDetails) {
        var node = node
        var result: Result<(model: Model, details: ResponseDetails), any Error>
        do {
            if let handover = node.handlers.handover {
                node = try await handover(node, previous)
            }
            result = .success(try await exchange(node, &call, Self.rewriting(early, node.handlers.rewrites)))
        } catch {
            // Handlers may turn it into an error that has no request.
            let error = call.annotated(error, node.specification)
            call.cause = error
            result = .failure(error)
        }
        for rewrite in node.handlers.rewrites {
            if case .failure(let error) = result, error is CancellationError {
                break
            }
            do {
                let model = try await rewrite(result.map(\.model))
                let details = Self.details(to: call, replacing: result, node.specification, now: core.clock.now())
                result = .success((model, details))
            } catch {
                result = .failure(call.annotated(error, node.specification))
            }
        }
        do {
            let result = try result.get()
            succeed(call, result.details, result.model)
            return result
        } catch {
            throw fail(&call, error, node.specification)
        }
    }

    /// Sends the request, checks and decodes the response, and uses a fallback if the server failed.
    private func exchange<Model>(
        _ node: RequestNode<Model>,
        _ call: inout Call,
        _ early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, details: ResponseDetails) {
        let resolved = try resolve(node.specification, call.beginning)
        let context = resolved.request.call
        call.context = context
        core.hub.emit(.callStarted, context, value: node.specification.model.value)
        do {
            return try await settle(resolved, node.decoding, early)
        } catch {
            guard let chain = context.options[.fallback], !context.isCancelled, chain.isUsed(after: error) else {
                throw error
            }
            return try await fallBack(chain, node, &call, after: error)
        }
    }

    /// Sends a resolved request, and checks and decodes the response.
    func settle<Model>(
        _ resolved: ResolvedRequest,
        _ decoding: ResponseDecoding<Model>,
        _ early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, details: ResponseDetails) {
        let context = resolved.request.call
        let decoder = resolved.decoder(decoding)
        recall: if resolved.isKnown, let recalled = await core.cache.recall(resolved.request) {
            let model: Model
            if decoding.isUniform, let kept = recalled.keptModel(Model.self) {
                model = kept
            } else {
                let received = core.clock.now()
                do {
                    model = try decoder.model(of: recalled.response)
                } catch {
                    // A response that does not decode is handled after the stages.
                    break recall
                }
                noteDecoding(from: received, context)
                if decoding.isUniform {
                    recalled.keep(model)
                }
            }
            core.hub.emit(.cacheHit(age: recalled.use.age), context)
            try Task.checkCancellation()
            await invalidate(because: context)
            return (model, details(recalled.response, recalled.explanation, context))
        }
        let model: Model
        let reply: CacheReply
        if context.policy.cache.mode == .networkOnly {
            (model, reply) = try await respond(to: resolved.request, decoder)
        } else {
            (model, reply) = try await respondFromCache(to: resolved.request, decoder, early)
        }
        await invalidate(because: context)
        if let least = context.options[.minimumDuration], !reply.response.source.isCache {
            try await core.clock.sleep(for: max(.zero, context.start + least - core.clock.now()))
        }
        return (model, details(reply.response, reply.explanation, context))
    }

    private func respond<Model>(
        to request: OutgoingRequest,
        _ decoder: ModelDecoder<Model>
    ) async throws -> (model: Model, reply: CacheReply) {
        let (stages, heedsCall) = pipeline.stages(for: request)
        let response = try await core.calls.run(request.call, Model.self, needsTask: !heedsCall) {
            try await stages.send(request)
        }
        let received = core.clock.now()
        let model = try decoder.model(of: response)
        try Task.checkCancellation()
        noteDecoding(from: received, request.call)
        return (model, CacheReply(response: response, explanation: .notAsked))
    }

    private func respondFromCache<Model>(
        to request: OutgoingRequest,
        _ decoder: ModelDecoder<Model>,
        _ early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, reply: CacheReply) {
        let call = request.call
        var deliver: CachedCall<Model>.Early?
        if let early {
            deliver = { [self] model, reply in await early(model, details(reply.response, reply.explanation, call)) }
        }
        let end = pipeline.cachedCall(call, decoder, early: deliver)
        defer { end.abandon() }
        let response = try await core.calls.run(call, Model.self) { [pipeline] in
            try await pipeline.send(request, to: end)
        }
        return try await end.finish(response, of: call)
    }

    /// Returns a response with its metadata so far.
    func details(
        _ response: RawResponse,
        _ explanation: CacheExplanation,
        _ call: CallContext
    ) -> ResponseDetails {
        ResponseDetails(
            raw: response,
            callID: call.id,
            attempts: call.attempts,
            duration: core.clock.now() - call.start,
            startedAt: core.date(of: call.start),
            origin: .context(call),
            cache: explanation
        )
    }

    /// Invalidates the responses that a successful call selects.
    func invalidate(because call: CallContext) async {
        let selections = call.policy.invalidates
        if !selections.isEmpty {
            await core.cache.invalidate(selections, because: call)
        }
    }

    /// Records a decoding that ends now.
    private func noteDecoding(from received: Duration, _ call: CallContext) {
        let decoded = core.clock.now()
        call.note { $0.decode(from: received, to: decoded) }
    }

    /// Returns the stored response to a node's request, for reading or changing without a call.
    func storedModel<Model>(_ node: RequestNode<Model>) async throws -> (StoredModel<Model>, ResolvedRequest) {
        let resolved = try resolve(node.specification, CallBeginning(id: .next(), start: core.clock.now()))
        let stored = StoredModel(
            cache: core.cache,
            request: try await identified(resolved.request),
            decoder: resolved.decoder(node.decoding)
        )
        return (stored, resolved)
    }

    /// Returns a request with the latest token and the values of its header providers, which are part of the cache key.
    func identified(_ request: OutgoingRequest) async throws -> OutgoingRequest {
        let current = try request.call.policy.authentication?.current(request) ?? request
        return try await current.withProvidedHeaders(core.clock)
    }
}

// MARK: - Beginning and end

extension CallRunner {
    /// A call in its runner's view, possibly before its target is resolved.
    struct Call {
        let core: ClientCore
        let beginning: CallBeginning
        var context: CallContext?
        /// The original error before the user's handlers replaced it, and the one that is thrown.
        var cause: (any Error)?
        var failure: (any Error)?

        func origin(_ specification: RequestSpecification) -> ResponseOrigin {
            context.map(ResponseOrigin.context) ?? .unresolved(RequestSummary(of: specification))
        }

        /// Returns the error to throw: for a cancelled task it is always a `CancellationError`.
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
            error.reader = context?.policy.reader
            error.span = CallSpan(
                id: beginning.id,
                startedAt: core.date(of: beginning.start),
                duration: core.clock.now() - beginning.start
            )
            if let text = (context?.policy.options ?? specification.options).errorText(of: error) {
                error.message = text
            }
            if let context {
                error.storyteller = { end in CallStory.text(of: context, end: end, cache: nil) }
            }
            return error
        }

        /// Returns the result of the levels' error mappers, the innermost first.
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

    func succeed(_ call: Call, _ details: ResponseDetails, _ model: @autoclosure () -> any Sendable) {
        guard core.hub.isObserved else {
            return
        }
        if call.context == nil {
            emit(.callStarted, call, details.origin)
        }
        emit(.modelLoaded(model(), source: details.raw.source), call, details.origin)
        emit(
            .callSucceeded(status: details.raw.status, source: details.raw.source, duration: details.duration),
            call,
            details.origin,
            responseFields: Redaction.masked(details.raw.headers)
        )
    }

    /// Emits the end of a failed call; returns the error to throw.
    func fail(_ call: inout Call, _ error: any Error, _ specification: RequestSpecification) -> any Error {
        if call.context == nil {
            emit(.callStarted, call, call.origin(specification), value: specification.model.value)
        }
        let cause = call.annotated(error, specification)
        let error = call.mapped(cause, specification)
        call.cause = call.cause ?? cause
        call.failure = error
        if let cause = call.cause as? RestClientError, cause.failureClass == .unauthorized {
            (call.context?.policy.options ?? specification.options)[.unauthorizedHandlers]?.call(with: cause)
        }
        emit(error is CancellationError ? .callCancelled : .callFailed(error), call, call.origin(specification))
        return error
    }

    func emit(
        _ kind: @autoclosure () -> ClientEvent.Kind,
        _ call: Call,
        _ origin: @autoclosure () -> ResponseOrigin,
        value: @autoclosure () -> (any Sendable)? = nil,
        responseFields: @autoclosure () -> HTTPFields? = nil
    ) {
        guard core.hub.isObserved else {
            return
        }
        let (kind, origin) = (kind(), origin())
        core.hub.emit(
            ClientEvent(
                kind,
                callID: call.beginning.id,
                groupID: call.beginning.groupID,
                request: origin.summary,
                timings: kind.isTerminal ? origin.timings : nil,
                cause: Self.cause(of: kind, call),
                value: value(),
                responseFields: responseFields()
            )
        )
    }

    /// Returns the error of this library that handlers replaced.
    private static func cause(of kind: ClientEvent.Kind, _ call: Call) -> RestClientError? {
        guard case .callFailed(let error) = kind, !(error is RestClientError) else {
            return nil
        }
        return call.cause as? RestClientError
    }

    /// Returns the response of a call whose result was replaced by a handler.
    private static func details<Model>(
        to call: Call,
        replacing result: Result<(model: Model, details: ResponseDetails), any Error>,
        _ specification: RequestSpecification,
        now: Duration
    ) -> ResponseDetails {
        let raw: RawResponse?
        var cache = CacheExplanation.notAsked
        switch result {
        case .success(let result): (raw, cache) = (result.details.raw, result.details.cache)
        case .failure(let error): raw = (error as? RestClientError)?.response
        }
        return ResponseDetails(
            raw: raw ?? RawResponse(source: .resultHandler),
            callID: call.beginning.id,
            attempts: call.context?.attempts ?? 0,
            duration: now - call.beginning.start,
            startedAt: call.core.date(of: call.beginning.start),
            origin: call.origin(specification),
            cache: cache
        )
    }
}

// MARK: - The response

extension CallRunner {
    /// Lets the handlers that replace results also see the stored response.
    private static func rewriting<Model>(
        _ early: EarlyDelivery<Model>?,
        _ rewrites: [ResultRewrite<Model>]
    ) -> EarlyDelivery<Model>? {
        guard let early, !rewrites.isEmpty else {
            return early
        }
        return { model, details in
            var result: Result<Model, any Error> = .success(model)
            for rewrite in rewrites {
                do { result = .success(try await rewrite(result)) } catch { result = .failure(error) }
            }
            if case .success(let model) = result {
                await early(model, details)
            }
        }
    }
}
