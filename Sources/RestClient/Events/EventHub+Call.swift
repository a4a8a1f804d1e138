// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs

extension EventHub {
    /// Emits an event of a call, if there are observers.
    @inline(__always)
    func emit(
        _ kind: @autoclosure () -> ClientEvent.Kind,
        _ call: CallContext,
        value: @autoclosure () -> (any Sendable)? = nil,
        oldValue: @autoclosure () -> ClientEvent.OldValue? = nil,
        responseFields: @autoclosure () -> HTTPFields? = nil
    ) {
        guard isObserved else {
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

    /// Returns what emits the progress of a call; `nil` if its options do not ask for it, or nobody observes.
    func progressEvents(of call: CallContext) -> ProgressSinks.Handler? {
        guard call.options[.progressEvents] == true, isObserved else {
            return nil
        }
        return { progress in self.emit(.progressed(progress), call) }
    }
}
