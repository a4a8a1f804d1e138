// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The limits of a call that guards keep, with the places of the guards; equal calls share their terms.
final class GuardTerms: PolicyPart {
    /// The limits in time: the call's own, and then the one that it shares with others.
    let rates: [(value: RateLimit, place: GuardPlace)]
    let circuit: (value: CircuitBreaker, place: GuardPlace)?
    let budget: (value: RetryBudget, place: GuardPlace)?

    /// The lines of the call, one for each place, in the order in which it waits in them.
    ///
    /// That of the number comes first, so that no call uses up its turn in time while it waits for its number. That of
    /// the rate that others share comes last in any case: it counts when calls really begin.
    let lines: [(place: GuardPlace, limits: AdmissionStateMachine.Terms)]

    let heedsServer: Bool

    /// Creates the terms from the options of a call, one of which is a guard.
    ///
    /// A rate limit of the call itself holds besides that of its API, its server or its manager, which other calls
    /// rely on. It has a place of its own: those that have to wait for it hold up no others.
    init(_ options: CallOptions, shared: CallOptions, _ identity: PreparedRequest.Identity) {
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
        let number = entry(.concurrency, in: options)
        let common = entry(.rateLimit, in: shared)
        circuit = entry(.circuitBreaker, in: options)
        budget = entry(.retryBudget, in: options)
        var rates: [(value: RateLimit, place: GuardPlace)] = []
        var lines: [(place: GuardPlace, limits: AdmissionStateMachine.Terms)] = []
        if let number, number.place !== common?.place {
            lines.append((number.place, AdmissionStateMachine.Terms(concurrency: number.value)))
        }
        if options.level(of: .rateLimit) == .call, let own = options[.rateLimit] {
            let ownPlace = place(GuardKey(identity, setBy: .call, ownRate: own))
            rates.append((own, ownPlace))
            lines.append((ownPlace, AdmissionStateMachine.Terms(rate: own)))
        }
        if let common {
            let concurrency = number?.place === common.place ? number?.value : nil
            rates.append(common)
            lines.append((common.place, AdmissionStateMachine.Terms(rate: common.value, concurrency: concurrency)))
        }
        self.rates = rates
        self.lines = lines
        heedsServer = rates.contains { $0.value.heedsServer }
    }
}

/// The guard of equal calls, which the first of them looks up for all.
final class GuardPlace: Sendable {
    let key: GuardKey
    private let first = AtomicLazyReference<ServerGuard>()

    init(_ key: GuardKey) {
        self.key = key
    }

    func shared(in guards: ServerGuards) -> ServerGuard {
        if let known = first.load(), !known.isForgotten {
            return known
        }
        let current = guards[key]
        _ = first.storeIfNil(current)
        return current
    }
}

/// The calls that share the state of a guard: those of a server, those of one API on it, or those of an API that set
/// the same rate limit themselves.
struct GuardKey: Sendable, Hashable {
    /// The alias of the server, or the origin of a URL that belongs to none.
    let server: String
    /// The alias of the API; `nil` if all calls to the server share the state.
    let api: String?
    /// The rate limit that the calls set themselves, in words; `nil` for what they share with others of the API.
    let ownRate: String?

    /// Creates the key of an option of a call.
    ///
    /// What a manager, an environment or a server sets holds for all calls to a server together. What an API or a call
    /// sets holds for the API, but the rate limit of a call only for those that set the same one: others do not wait
    /// for it.
    init(_ call: PreparedRequest.Identity, setBy level: CallOptions.Level?, ownRate: RateLimit? = nil) {
        server = call.server?.rawValue ?? (try? HTTPURL(sent: call.url))?.origin ?? ""
        api = level == .api || level == .call ? call.api ?? call.template : nil
        self.ownRate = ownRate?.description
    }

    init(server: String) {
        self.server = server
        api = nil
        ownRate = nil
    }
}

extension GuardKey: CustomStringConvertible {
    var description: String { MessageText.of(Redaction.url(api.map { "\(server)/\($0)" } ?? server)) }
}
