// SPDX-License-Identifier: MIT

/// The limits of a call that guards keep, with the places of the guards; equal calls share their terms.
final class GuardTerms: CallPart {
    let concurrency: (value: ConcurrencyLimit, place: GuardPlace)?
    let rate: (value: RateLimit, place: GuardPlace)?
    let circuit: (value: CircuitBreaker, place: GuardPlace)?
    let budget: (value: RetryBudget, place: GuardPlace)?

    /// The place of all of them, if a call can pass it in one step; `nil` if there are several, or if other processes
    /// have a say.
    let only: GuardPlace?

    var heedsCall: Bool { true }

    /// Both limits of the line at the only place.
    var line: AdmissionStateMachine.Terms { .init(rate: rate?.value, concurrency: concurrency?.value) }

    /// A Boolean value that is true if the call passes a line.
    var hasLine: Bool { rate != nil || concurrency != nil }

    /// Creates the terms from the options of a call, one of which is a guard.
    init(_ options: CallOptions, _ identity: CallIdentity) {
        var places: [GuardKey: GuardPlace] = [:]
        func entry<Value>(_ option: CallOptionKey<Value>) -> (value: Value, place: GuardPlace)? {
            guard let value = options[option] else {
                return nil
            }
            let key = GuardKey(identity, setBy: options.level(of: option))
            let place = places[key] ?? GuardPlace(key)
            places[key] = place
            return (value, place)
        }
        concurrency = entry(.concurrency)
        rate = entry(.rateLimit)
        circuit = entry(.circuitBreaker)
        budget = entry(.retryBudget)
        only = places.count == 1 && rate?.value.isSharedAcrossProcesses != true ? places.values.first : nil
    }
}
