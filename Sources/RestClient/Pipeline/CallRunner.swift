// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import Synchronization

/// Runs one call from its node to its decoded response, and ensures that it ends exactly once.
///
/// Code that depends on the model's type is kept small, because unspecialized generic code looks up its types at run
/// time. For the same reason, no variable in the path of a stored response is a tuple or an optional with a model.
final class CallRunner: Sendable {
    let core: ClientCore
    let pipeline: Pipeline
    private let memo = RequestMemo()

    init(core: ClientCore) {
        self.core = core
        pipeline = Pipeline(core: core)
    }

    func prepare(_ specification: RequestSpecification, _ beginning: CallContext.Beginning) throws -> CallContext {
        let surroundings = RequestBuilder.Surroundings.current(core)
        let registries = core.registries.snapshot(in: surroundings.environment)
        // Most calls are in no scope, and their specification is not copied.
        let request =
            if let reporting = specification.reporting(to: ProgressScope.scopes) {
                try memo.request(reporting, registries, surroundings)
            } else {
                try memo.request(specification, registries, surroundings)
            }
        return CallContext(request, beginning)
    }

    /// Runs a call; `early` receives a stored response before the server's, if the policy is
    /// ``CachePolicy/thenNetwork``.
    func run<Model>(
        _ node: RequestNode<Model>,
        announced: CallContext.Beginning? = nil,
        groupID: GroupID? = nil,
        previous: PreviousResult = PreviousResult(),
        early: EarlyDelivery<Model>? = nil
    ) async throws(CallFailure) -> (model: Model, details: ResponseDetails) {
        guard node.hasHandlers else {
            var call = Call(core: core, beginning: announced ?? begin(groupID))
            do {
                let (model, details) = try await exchange(node, &call, early)
                succeed(call, details, model)
                return (model, details)
            } catch {
                throw fail(call, error, node.specification)
            }
        }
        return try await runWithHandlers(node, announced, groupID, previous, early)
    }

    /// Runs a call that is announced before, and whose handlers are called around it.
    @inline(never)
    private func runWithHandlers<Model>(
        _ node: RequestNode<Model>,
        _ announced: CallContext.Beginning?,
        _ groupID: GroupID?,
        _ previous: PreviousResult,
        _ early: EarlyDelivery<Model>?
    ) async throws(CallFailure) -> (model: Model, details: ResponseDetails) {
        let beginning = announced ?? announce(node, groupID)
        defer {
            if announced == nil {
                core.calls.close(beginning.id)
            }
        }
        return try await notifying(node.handlers.callbacks, early) { (early, progress) async throws(CallFailure) in
            var node = node
            if let progress {
                node.specification.report(to: progress)
            }
            var call = Call(core: self.core, beginning: beginning)
            var original: (any Error)?
            var result: Result<(model: Model, details: ResponseDetails), any Error>
            do {
                if let handover = node.handlers.handover {
                    node = try await handover(node, previous)
                }
                result = .success(
                    try await self.exchange(node, &call, Self.rewriting(early, node.handlers.rewrites))
                )
            } catch {
                // Handlers may turn it into an error that has no request.
                let error = call.annotated(error, node.specification)
                original = error
                result = .failure(error)
            }
            for rewrite in node.handlers.rewrites {
                if case .failure(let error) = result, error is CancellationError {
                    break
                }
                do {
                    let model = try await rewrite(result.map(\.model))
                    result = .success((model, self.details(to: call, replacing: result, node.specification)))
                } catch {
                    result = .failure(call.annotated(error, node.specification))
                }
            }
            switch result {
            case .success(let result):
                self.succeed(call, result.details, result.model)
                return result
            case .failure(let error):
                throw self.fail(call, error, original: original, node.specification)
            }
        }
    }

    /// Sends the request of a node, and checks and decodes the response; uses a fallback if the server failed.
    private func exchange<Model>(
        _ node: RequestNode<Model>,
        _ call: inout Call,
        _ early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, details: ResponseDetails) {
        try await traced(&call, node.specification) { call, context in
            let (model, details) = try await listed(context, Model.self) {
                guard context.policy.needs.contains(.ending) else {
                    return try await fetch(context, node.decoding, early)
                }
                do {
                    return try await fetch(context, node.decoding, early)
                } catch {
                    return try await fallBack(node, context, after: error)
                }
            }
            guard !core.calls.leave(context) else {
                throw CancellationError()
            }
            if let context = details.origin.call {
                call.context = context
            }
            return (model, details)
        }
    }

    /// Prepares the request of a call, and does the call's work within its span.
    @inline(__always)
    func traced<Result>(
        _ call: inout Call,
        _ specification: RequestSpecification,
        _ work: (inout Call, CallContext) async throws -> Result
    ) async throws -> Result {
        do {
            let context = try prepare(specification, call.beginning)
            call.context = context
            if call.series?.begin(context.summary) ?? true {
                core.hub.emit(.callStarted, context, value: specification.model.value)
            }
            call.span = core.tracing.current?.begin(context)
            guard let span = call.span else {
                return try await work(&call, context)
            }
            return try await span.surround { try await work(&call, context) }
        } catch {
            if call.beginning.isAnnounced {
                core.calls.leave(call.beginning.id)
            }
            throw error
        }
    }

    /// Does the work of a call in its caller's task, and lists it among the running calls; a call that succeeds stays
    /// listed.
    @inline(__always)
    func listed<Result>(
        _ context: CallContext,
        _ model: Any.Type,
        _ work: () async throws -> Result
    ) async throws -> Result {
        try core.calls.enter(context, model)
        do {
            return try await withTaskCancellationHandler {
                try await work()
            } onCancel: {
                core.calls.dismiss(context)
            }
        } catch {
            throw core.calls.leave(context) || context.isCancelled ? CancellationError() : error
        }
    }

    func fetch<Model>(
        _ context: CallContext,
        _ decoding: ResponseDecoding<Model>,
        _ early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, details: ResponseDetails) {
        let decoder = context.decoder(decoding)
        let model: Model
        let reply: CacheReply
        if !context.policy.usesCache {
            let response = try await pipeline.send(context.request)
            let received = core.clock.now()
            model = try decoder.model(of: response)
            try context.checkCancellation()
            let decoded = core.clock.now()
            context.note { $0.decode(from: received, to: decoded) }
            reply = CacheReply(response: response, explanation: .notAsked)
        } else {
            var deliver: CachedCall.Early?
            if let early {
                deliver = { [self] model, reply in
                    if let model = model as? DecodedModel<Model> {
                        await early(model.value, details(reply.response, reply.explanation, context))
                    }
                }
            }
            let cached = pipeline.cachedCall(context, AnyModelDecoder(decoder), early: deliver)
            defer { cached.abandon() }
            reply = try await cached.finish(try await pipeline.send(context.request, to: cached), of: context)
            if let decoded = reply.model as? DecodedModel<Model> {
                model = decoded.value
            } else {
                model = try decoder.model(of: reply.response)
            }
        }
        await invalidate(because: context)
        if context.policy.needs.contains(.ending), let least = context.options[.minimumDuration],
            !reply.response.source.isCache
        {
            try await context.waits { [clock = core.clock] in
                try await clock.sleep(for: max(.zero, context.start + least - clock.now()))
            }
        }
        return (model, details(reply.response, reply.explanation, context))
    }

    func details(
        _ response: consuming RawResponse,
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

    @inline(__always)
    func invalidate(because call: CallContext) async {
        let selections = call.invalidates
        if !selections.isEmpty {
            await core.cache.inside(call.policy.isolation).invalidate(selections, because: call)
        }
    }

    /// Returns the stored response to a node's request, for reading or changing without a call.
    func storedModel<Model>(_ node: RequestNode<Model>) async throws -> (StoredModel<Model>, CallContext) {
        let context = try prepare(node.specification, begin(nil))
        let stored = StoredModel(
            cache: core.cache.inside(context.policy.isolation),
            request: try await identified(context.request),
            decoder: context.decoder(node.decoding)
        )
        return (stored, context)
    }

    /// Returns a request with the latest token and the values of its header providers, which are part of the cache key.
    func identified(_ request: OutgoingRequest) async throws -> OutgoingRequest {
        let current = try request.call.policy.authentication?.current(request) ?? request
        return try await current.withProvidedHeaders(core.clock)
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

    /// Runs a call, and calls its node's handlers with the result, regardless of how the call was sent.
    func notifying<Model>(
        _ callbacks: RequestCallbacks<Model>,
        _ early: EarlyDelivery<Model>?,
        _ run: (
            EarlyDelivery<Model>?, ProgressSinks.Handler?
        ) async throws(CallFailure) -> (model: Model, details: ResponseDetails)
    ) async throws(CallFailure) -> (model: Model, details: ResponseDetails) {
        guard !callbacks.isEmpty else {
            return try await run(early, nil)
        }
        let hasEarly = Flag()
        let deliver: EarlyDelivery<Model> = { model, details in
            hasEarly.raise()
            if let handle = callbacks.onCacheSuccess {
                await CallbackPlace.call({ handle(Response(model: model, details: details)) }, at: callbacks.place)
            }
            await early?(model, details)
        }
        let progress = callbacks.progress()
        func finish(_ result: Result<Response<Model>, any Error>, _ failureClass: FailureClass?) async {
            progress?.close()
            let handler = callbacks.handler(of: result, failureClass: failureClass, hasEarly: hasEarly.isRaised)
            await CallbackPlace.call(handler, at: callbacks.place)
        }
        await CallbackPlace.call(callbacks.onStart, at: callbacks.place)
        do throws(CallFailure) {
            let result = try await run(deliver, progress?.report)
            await finish(.success(Response(model: result.model, details: result.details)), nil)
            return result
        } catch {
            await finish(.failure(error.error), error.failureClass)
            throw error
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)

        var isRaised: Bool { value.load(ordering: .acquiring) }

        func raise() {
            value.store(true, ordering: .releasing)
        }
    }

    /// Starts a call from synchronous code: it is running from now on, although its task begins later.
    func start<Model>(
        _ node: RequestNode<Model>,
        priority: TaskPriority?,
        _ operation: @escaping @Sendable (CallContext.Beginning) async -> Void
    ) -> RequestCall {
        let beginning = announce(node, nil)
        let call = RequestCall(priority: priority) { [core] in
            await operation(beginning)
            core.calls.close(beginning.id)
        }
        core.calls.attach(call, to: beginning.id)
        return call
    }

    /// Begins a call, and lists it among the running calls until it is closed.
    func announce<Model>(_ node: RequestNode<Model>, _ groupID: GroupID?) -> CallContext.Beginning {
        let specification = node.specification
        let environment = EnvironmentScope.innermost(for: core.registries)
        let beginning = begin(groupID, isAnnounced: true)
        core.calls.announce(beginning.id) { [core] in
            let registries = core.registries.snapshot(in: environment)
            return RunningCall(model: Model.self, call: Self.announcement(of: specification, beginning, registries))
        }
        return beginning
    }

    func begin(_ groupID: GroupID?, isAnnounced: Bool = false) -> CallContext.Beginning {
        var beginning = CallContext.Beginning(id: .next(), groupID: groupID, start: core.clock.now())
        beginning.isAnnounced = isAnnounced
        return beginning
    }

    /// Describes a call by its node and the registries; its path is not expanded, and its body not encoded.
    private static func announcement(
        of specification: RequestSpecification,
        _ beginning: CallContext.Beginning,
        _ registries: RegistrySnapshot
    ) -> AnnouncedCall {
        let target = try? TargetResolver.resolve(specification.target, in: registries)
        let levels = target.map { registries.options(for: $0).overlaid(with: specification.options) }
        let options = levels ?? specification.options
        let unresolved = RequestSummary(of: specification)
        let summary = RequestSummary(
            method: specification.method ?? target?.api?.value.method ?? unresolved.method,
            url: unresolved.url,
            api: unresolved.api,
            server: target?.serverAlias ?? unresolved.server,
            template: target?.template.map { Redaction.url($0.source) } ?? unresolved.template,
            callIdentifier: options[.callIdentifier],
            isMuted: options[.isMuted] ?? false
        )
        return AnnouncedCall(
            id: beginning.id,
            groupID: beginning.groupID,
            summary: summary,
            api: specification.target.api,
            server: target?.serverAlias,
            options: options
        )
    }
}
