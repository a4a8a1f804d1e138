// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

extension CallRunner {
    /// A call in its runner's view, possibly before its target is resolved.
    struct Call {
        let core: ClientCore
        let beginning: CallBeginning
        var context: CallContext?
        /// The original error before the user's handlers replaced it, and the one that is thrown.
        var cause: (any Error)?
        var failure: (any Error)?
        /// The span of the call, from its first event to its last one; `nil` unless it is traced.
        var span: (any TracedCall)?
        /// The feed or the download of which the call is a part; `nil` for a call by itself.
        var series: SeriesCall?

        /// The identifier of the call's events.
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
            error.unsafeCount = context?.facts.effect.unsafeCount ?? 0
            guard error.request == nil else {
                return error
            }
            // Each change of the error itself would copy all of its parts.
            var parts = error.parts
            parts.request = origin(specification).summary
            parts.attempts = context?.attempts ?? 0
            parts.timings = context?.timings
            parts.reader = context?.policy.reader
            parts.span = CallSpan(
                id: id,
                startedAt: core.date(of: beginning.start),
                duration: core.clock.now() - beginning.start
            )
            error.parts = parts
            if let text = (context?.policy.options ?? specification.options).errorText(of: error) {
                error.parts.message = MessageText.of(text)
            }
            if let context {
                error.storyteller = { end in CallStory.text(of: context, end: end, cache: nil) }
            }
            return error
        }

        /// Returns the result of the levels' error mappers, the innermost first.
        func mapped(_ error: any Error, _ specification: RequestSpecification) -> any Error {
            (context?.policy.options ?? specification.options).mapped(error)
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
        if source == .dummy || source.isCache, case .context(let call) = details.origin, let origin = call.policy.origin
        {
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

    /// Emits the end of a failed call; returns the error to throw, which is the original one for a part of a series.
    func fail(_ call: inout Call, _ error: any Error, _ specification: RequestSpecification) -> any Error {
        let origin = call.origin(specification)
        if call.context == nil, call.series?.begin(origin.summary) ?? true {
            emit(.callStarted, call, origin, value: specification.model.value)
        }
        let cause = call.annotated(error, specification)
        let error = call.mapped(cause, specification)
        call.cause = call.cause ?? cause
        call.failure = error
        if let cause = call.cause as? RestClientError {
            let options = call.context?.policy.options ?? specification.options
            options[.failureNote]?.record(cause, as: error)
            if cause.failureClass == .unauthorized {
                options[.unauthorizedHandlers]?.call(with: cause)
            }
        }
        endSpan(
            call,
            origin,
            .failure(error is CancellationError ? error : call.cause ?? error, attempts: call.context?.attempts ?? 0)
        )
        if let series = call.series {
            // Whether it is the end of the series is not known here.
            series.left(call.context?.timings)
            return cause
        }
        emit(error is CancellationError ? .callCancelled : .callFailed(error), call, origin)
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
                callID: call.id,
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
    static func details<Model>(
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
