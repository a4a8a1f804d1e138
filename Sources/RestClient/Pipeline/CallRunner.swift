// SPDX-License-Identifier: MIT

import HTTPTypes

/// Runs one call from its node to its decoded answer, and sees to it that it ends exactly once.
struct CallRunner: Sendable {
    let core: ClientCore
    let pipeline: Pipeline

    init(core: ClientCore) {
        self.core = core
        pipeline = Pipeline(core: core, configuration: core.configuration)
    }

    /// Runs a call.
    ///
    /// - Throws: ``RestClientError``, an error of the user's own code, or `CancellationError`.
    func run<Model>(
        _ node: RequestNode<Model>,
        groupID: GroupID? = nil,
        previous: PreviousResult = PreviousResult()
    ) async throws -> Response<Model> {
        let start = core.clock.now()
        var call = Call(id: .next(), groupID: groupID, specification: node.specification)
        var result: Result<Response<Model>, any Error>
        do {
            if let handover = node.handover {
                call.specification = try await handover(node, previous).specification
            }
            let resolved = try resolve(call, start: start)
            call.context = resolved.request.call
            emit(.callStarted, call)
            result = .success(try await exchange(resolved, node.decoding, start: start))
        } catch {
            if call.context == nil {
                emit(.callStarted, call)
            }
            result = .failure(call.annotated(error))
        }
        if !node.rewrites.isEmpty {
            result = await rewritten(result, by: node.rewrites, call, start: start)
        }
        switch result {
        case .success(let response):
            emit(
                .callSucceeded(status: response.status, source: response.source, duration: response.duration),
                call
            )
            return response
        case .failure(let error) where error is CancellationError:
            emit(.callCancelled, call)
            throw error
        case .failure(let error):
            emit(.callFailed(error), call)
            throw error
        }
    }

    private func resolve(_ call: Call, start: Duration) throws -> ResolvedRequest {
        let builder = RequestBuilder(
            registries: core.registrySnapshot(),
            configuration: core.configuration,
            id: call.id,
            groupID: call.groupID,
            start: start
        )
        return try builder.build(call.specification)
    }

    /// Sends the request, checks and decodes the answer, and stores it last of all.
    private func exchange<Model>(
        _ resolved: ResolvedRequest,
        _ decoding: ResponseDecoding<Model>,
        start: Duration
    ) async throws -> Response<Model> {
        let call = resolved.request.call
        var raw = try await pipeline.send(resolved.request)
        var model: Model
        do {
            model = try Self.decode(raw, resolved, decoding)
        } catch let error as RestClientError where error.code == .decodingFailed && raw.source.isCache {
            // A stored answer that does not decode any more is as good as none.
            var request = resolved.request
            request.ignoresStored = true
            raw = try await pipeline.send(request)
            model = try Self.decode(raw, resolved, decoding)
        }
        try Task.checkCancellation()
        if let write = raw.pendingWrite {
            raw.pendingWrite = nil
            await commit(write, call)
        }
        return Response(
            model: model,
            raw: raw,
            callID: call.id,
            attempts: call.attempts,
            duration: core.clock.now() - start,
            origin: .context(call)
        )
    }

    private static func decode<Model>(
        _ raw: RawResponse,
        _ resolved: ResolvedRequest,
        _ decoding: ResponseDecoding<Model>
    ) throws -> Model {
        guard resolved.request.call.policy.acceptedStatuses.contains(raw.status) else {
            throw RestClientError(
                .unacceptableStatus,
                "the server answered \(raw.status.description)",
                response: raw
            )
        }
        do {
            return try decoding.decode(raw, resolved.dogma, resolved.dogmaRequest)
        } catch let error as CancellationError {
            throw error
        } catch {
            let reason =
                raw.body.isEmpty
                ? "its body is empty; use an optional model, or Void, for answers without a body"
                : DecodingReason.describe(error)
            throw RestClientError(
                .decodingFailed,
                "the answer (\(raw.status.code), \(raw.body.count) bytes) is no \(Model.self): \(reason)",
                response: raw,
                underlying: error
            )
        }
    }

    private func commit(_ write: PendingCacheWrite, _ call: CallContext) async {
        do {
            try await write.commit()
            core.hub.emit(.cacheStored, call)
        } catch {
            core.hub.emit(.cacheFailed(error), call)
        }
    }

    private func rewritten<Model>(
        _ result: Result<Response<Model>, any Error>,
        by rewrites: [ResultRewrite<Model>],
        _ call: Call,
        start: Duration
    ) async -> Result<Response<Model>, any Error> {
        var result = result
        for rewrite in rewrites {
            if case .failure(let error) = result, error is CancellationError {
                return result
            }
            do {
                let model = try await rewrite(result.map(\.model))
                let answered = try? result.get()
                let failed: RestClientError? =
                    if case .failure(let error) = result { error as? RestClientError } else { nil }
                result = .success(
                    Response(
                        model: model,
                        raw: answered?.raw ?? failed?.response ?? RawResponse(source: .resultHandler),
                        callID: call.id,
                        attempts: call.attempts,
                        duration: core.clock.now() - start,
                        origin: call.origin
                    )
                )
            } catch {
                result = .failure(call.annotated(error))
            }
        }
        return result
    }

    private func emit(_ kind: @autoclosure () -> ClientEvent.Kind, _ call: Call) {
        core.hub.emit(ClientEvent(kind(), callID: call.id, groupID: call.groupID, request: call.origin.summary))
    }
}

/// A call as its runner knows it, which may be before its target is resolved.
private struct Call {
    let id: CallID
    let groupID: GroupID?
    var specification: RequestSpecification
    var context: CallContext?

    var attempts: Int { context?.attempts ?? 0 }

    var origin: ResponseOrigin {
        context.map(ResponseOrigin.context) ?? .unresolved(RequestSummary(of: specification))
    }

    /// What is thrown for an error: a cancelled task's is always a `CancellationError`.
    func annotated(_ error: any Error) -> any Error {
        if Task.isCancelled {
            return CancellationError()
        }
        guard var error = error as? RestClientError, error.request == nil else {
            return error
        }
        error.request = origin.summary
        error.attempts = attempts
        return error
    }
}
