// SPDX-License-Identifier: MIT

/// The events of a shared request that one of its callers emits as its own.
///
/// Each attempt ends in the call in which it began: a caller that leaves emits the end of its attempts, although the
/// request may continue for others, and a later leader does not emit the end of an attempt whose start it did not emit.
struct CallerEvents {
    private let hub: EventHub
    private let call: CallContext
    /// The attempts that have begun and not ended.
    private var attempts: [Int] = []

    init(hub: EventHub, call: CallContext) {
        self.hub = hub
        self.call = call
    }

    /// Emits an event of the request.
    mutating func emit(_ kind: ClientEvent.Kind) {
        switch kind {
        case .attemptStarted(let number):
            attempts.append(number)
        case .attemptFinished(let number, _), .attemptFailed(let number, _):
            guard let index = attempts.firstIndex(of: number) else {
                return
            }
            attempts.remove(at: index)
        default:
            break
        }
        hub.emit(kind, call)
    }

    /// Ends the attempts of a caller that leaves.
    mutating func leave(because error: any Error) {
        for number in attempts {
            hub.emit(.attemptFailed(number: number, error), call)
        }
        attempts = []
    }
}
