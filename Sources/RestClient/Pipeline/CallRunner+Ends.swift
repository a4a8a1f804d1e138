// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

extension CallRunner {
    /// A call in its runner's view, possibly before its target is resolved.
    struct Call {
        let core: ClientCore
        let beginning: CallContext.Beginning
        var context: CallContext?
        /// The span of the call, from its first event to its last one; `nil` unless it is traced.
        var span: (any TracedCall)?
        /// The feed or the download of which the call is a part; `nil` for a call by itself.
        var series: SeriesCall?

        var id: CallID { series?.id ?? beginning.id }

        func origin(_ specification: RequestSpecification) -> ResponseOrigin {
            context.map(ResponseOrigin.context) ?? .unresolved(RequestSummary(of: specification))
        }

        /// Returns the error to throw: for a cancelled task it is always a `CancellationError`.
        func annotated(_ error: any Error, _ specification: RequestSpecification) -> any Error {
            if Task.isCancelled {
                return CancellationError()
            }
            guard var error = error as? RestClientError else {
                return error
            }
            // Also an error of another call, which user code sent within this one, says what this call has done.
            error.unsafeCount = context?.facts.unsafeCount ?? 0
            guard error.request == nil else {
                return error
            }
            // Each change of the error itself would copy all of its parts.
            var parts = error.parts
            parts.request = origin(specification).summary
            parts.attempts = context?.attempts ?? 0
            parts.timings = context?.timings
            parts.reader = context?.policy.reader
            parts.span = RestClientError.Span(
                id: id,
                startedAt: core.date(of: beginning.start),
                duration: core.clock.now() - beginning.start
            )
            error.parts = parts
            if let text = (context?.policy.options ?? specification.options).errorText(of: error) {
                error.parts.message = MessageText.of(text)
            }
            if let context {
                error.storyteller = { end in context.story(end: end, cache: nil) }
            }
            return error
        }
    }

    /// Ends the span of a call; one whose target was not resolved has none until then.
    private func endSpan(
        _ call: Call,
        _ origin: @autoclosure () -> ResponseOrigin,
        _ end: @autoclosure () -> TracedEnd
    ) {
        if let span = call.span {
            span.end(end())
        } else if call.context == nil, let tracer = core.tracing.current {
            tracer.begin(call.id, call.beginning.groupID, origin().summary).end(end())
        }
    }

    /// Records that the work around a call got a response that no server gave for it, maybe by the call of another.
    private func noteOrigin(_ details: ResponseDetails) {
        let source = details.raw.source
        if source == .dummy || source.isCache, let origin = details.origin.call?.policy.origin {
            WorkOrigin.note(origin)
        }
    }

    func succeed(_ call: Call, _ details: ResponseDetails, _ model: @autoclosure () -> any Sendable) {
        endSpan(call, details.origin, .success(details.raw.status, details.raw.source, attempts: details.attempts))
        noteOrigin(details)
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

    /// Emits the end of a failed call, whose error the levels' mappers replace; the one of a part of a series stays as
    /// it is.
    ///
    /// The original is the error before the node's handlers replaced it; `nil` if they did not.
    func fail(
        _ call: Call,
        _ error: any Error,
        original: (any Error)? = nil,
        _ specification: RequestSpecification
    ) -> CallFailure {
        let origin = call.origin(specification)
        if call.context == nil, call.series?.begin(origin.summary) ?? true {
            emit(.callStarted, call, origin, value: specification.model.value)
        }
        let annotated = call.annotated(error, specification)
        let options = call.context?.policy.options ?? specification.options
        let failure = CallFailure(
            call.series == nil ? options.mapped(annotated) : annotated,
            original: original ?? annotated,
            of: call.context
        )
        if let cause = failure.original as? RestClientError, cause.failureClass == .unauthorized {
            options[.refusalHandlers]?.call(with: cause)
        }
        endSpan(
            call,
            origin,
            .failure(
                failure.error is CancellationError ? failure.error : failure.original,
                attempts: call.context?.attempts ?? 0
            )
        )
        if let series = call.series {
            // Whether it is the end of the series is not known here.
            series.left(call.context?.timings)
            return failure
        }
        emit(
            failure.error is CancellationError ? .callCancelled : .callFailed(failure.error),
            call,
            origin,
            cause: failure.hiddenCause
        )
        return failure
    }

    func emit(
        _ kind: @autoclosure () -> ClientEvent.Kind,
        _ call: Call,
        _ origin: @autoclosure () -> ResponseOrigin,
        cause: @autoclosure () -> RestClientError? = nil,
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
                callID: call.id,
                groupID: call.beginning.groupID,
                request: origin.summary,
                timings: kind.isTerminal ? origin.timings : nil,
                cause: cause(),
                value: value(),
                responseFields: responseFields()
            )
        )
    }

    /// Returns the details of a result that a handler gives in place of another one.
    func details<Model>(
        to call: Call,
        replacing result: Result<(model: Model, details: ResponseDetails), any Error>,
        _ specification: RequestSpecification
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
            duration: core.clock.now() - call.beginning.start,
            startedAt: core.date(of: call.beginning.start),
            origin: call.origin(specification),
            cache: cache
        )
    }
}
