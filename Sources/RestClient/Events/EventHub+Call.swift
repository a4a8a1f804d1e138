// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs

extension EventHub {
    /// Emits an event of a call, if there are observers.
    ///
    /// A separate function creates the event: an event takes 500 bytes, which would otherwise be a part of each
    /// suspended function that emits one.
    @inline(__always)
    func emit(
        _ kind: @autoclosure () -> ClientEvent.Kind,
        _ call: CallContext,
        value: @autoclosure () -> (any Sendable)? = nil,
        oldValue: @autoclosure () -> ClientEvent.OldValue? = nil,
        responseFields: @autoclosure () -> HTTPFields? = nil
    ) {
        if isObserved {
            create(kind, call, value, oldValue, responseFields)
        }
    }

    @inline(never)
    private func create(
        _ kind: () -> ClientEvent.Kind,
        _ call: CallContext,
        _ value: () -> (any Sendable)?,
        _ oldValue: () -> ClientEvent.OldValue?,
        _ responseFields: () -> HTTPFields?
    ) {
        // What is cancelled with a series may come after its last event.
        guard call.policy.series?.facts.isOver != true else {
            return
        }
        let kind = kind()
        if let relay = call.relay {
            relay.pass(kind)
            return
        }
        emit(
            ClientEvent(
                kind,
                callID: call.id,
                groupID: call.groupID,
                request: call.summary,
                timings: kind.isTerminal ? call.timings : nil,
                value: value(),
                oldValue: oldValue(),
                responseFields: responseFields()
            )
        )
    }

    /// Returns what emits the progress of a call; `nil` if its options do not ask for it, or there is no observer.
    func progressEvents(of call: CallContext) -> ProgressSinks.Handler? {
        guard call.options[.progressEvents] == true, isObserved else {
            return nil
        }
        return { progress in self.emit(.progressed(progress), call) }
    }

    /// Emits an event of a feed or a download as a whole, if there are observers.
    func emit(_ kind: @autoclosure () -> ClientEvent.Kind, of series: SeriesCall, cause: RestClientError? = nil) {
        guard isObserved else {
            return
        }
        let (kind, facts) = (kind(), series.facts)
        emit(
            ClientEvent(
                kind,
                callID: series.id,
                groupID: series.groupID,
                request: facts.request,
                timings: kind.isTerminal ? facts.timings : nil,
                cause: cause
            )
        )
    }
}
