// SPDX-License-Identifier: MIT

/// The limits of a call that guards keep, with the places of the guards; equal calls share their terms.
final class GuardTerms: CallPart {
    /// A limit in time.
    struct Rate: Sendable {
        let value: RateLimit
        let place: GuardPlace
    }

    /// The limits in time: the call's own, and then the one that it shares with others.
    let rates: [Rate]
    let circuit: (value: CircuitBreaker, place: GuardPlace)?
    let budget: (value: RetryBudget, place: GuardPlace)?

    /// The place of all of them, if a call can pass it in one step; `nil` if there are several, or if other processes
    /// have a say.
    let only: GuardPlace?


    /// The lines of the call, in the order in which it waits in them.
    let lines: [(place: GuardPlace, terms: AdmissionStateMachine.Terms)]

    /// The limits of the line at the only place.
    var line: AdmissionStateMachine.Terms { lines.first?.terms ?? AdmissionStateMachine.Terms() }

    /// A Boolean value that is true if the call passes a line.
    var hasLine: Bool { !lines.isEmpty }

    /// A Boolean value that is true if a limit heeds what the server says.
    let heedsServer: Bool

    /// Creates the terms from the options of a call, one of which is a guard.
    ///
    /// A rate limit of the call itself holds besides that of its API, its server or its manager, which other calls
    /// rely on. It has a place of its own: those that have to wait for it hold up no others.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - shared: Those of them that the call does not set itself.
    ///   - identity: What the call is.
    init(_ options: CallOptions, shared: CallOptions, _ identity: CallIdentity) {
        var places: [GuardKey: GuardPlace] = [:]
        func place(_ key: GuardKey) -> GuardPlace {
            let place = places[key] ?? GuardPlace(key)
            places[key] = place
            return place
        }
        func entry<Value>(
            _ option: CallOptionKey<Value>,
            in options: CallOptions
        ) -> (value: Value, place: GuardPlace)? {
            guard let value = options[option] else {
                return nil
            }
            return (value, place(GuardKey(identity, setBy: options.level(of: option))))
        }
        let concurrency = entry(.concurrency, in: options)
        let own = options.level(of: .rateLimit) == .call ? options[.rateLimit] : nil
        let common = entry(.rateLimit, in: shared)
        circuit = entry(.circuitBreaker, in: options)
        budget = entry(.retryBudget, in: options)
        var rates: [Rate] = []
        if let own {
            rates.append(Rate(value: own, place: place(GuardKey(identity, setBy: .call, ownRate: own))))
        }
        if let common {
            rates.append(Rate(value: common.value, place: common.place))
        }
        self.rates = rates
        lines = GuardTerms.lines(rates, concurrency)
        heedsServer = rates.contains { $0.value.heedsServer }
        let sharesAcrossProcesses = rates.contains { $0.value.isSharedAcrossProcesses }
        only = places.count == 1 && !sharesAcrossProcesses ? places.values.first : nil
    }

    /// Returns the lines of limits, one for each place; the call's own rate is never at that of the shared one.
    ///
    /// The one of the number comes first, so that no call uses up its turn in time while it waits for its number. That
    /// of the rate that others share comes last in any case: it counts when calls really begin.
    private static func lines(
        _ rates: [Rate],
        _ concurrency: (value: ConcurrencyLimit, place: GuardPlace)?
    ) -> [(place: GuardPlace, terms: AdmissionStateMachine.Terms)] {
        var lines: [(place: GuardPlace, terms: AdmissionStateMachine.Terms)] = []
        func index(of place: GuardPlace) -> Int {
            if let index = lines.firstIndex(where: { $0.place === place }) {
                return index
            }
            lines.append((place, AdmissionStateMachine.Terms()))
            return lines.count - 1
        }
        if let concurrency, rates.last?.place !== concurrency.place {
            lines[index(of: concurrency.place)].terms.concurrency = concurrency.value
        }
        for rate in rates {
            lines[index(of: rate.place)].terms.rate = rate.value
        }
        if let concurrency {
            lines[index(of: concurrency.place)].terms.concurrency = concurrency.value
        }
        return lines
    }
}
