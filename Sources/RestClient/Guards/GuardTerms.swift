// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The limits of a call that guards keep, with the places of the guards; equal calls share their terms.
final class GuardTerms: PolicyPart {
    let circuit: (value: CircuitBreaker, place: GuardPlace)?
    let budget: (value: RetryBudget, place: GuardPlace)?

    /// The lines of the call, one for each place, in the order in which it waits in them: that of the number first, so
    /// that it uses up no turn meanwhile, and that of the rate that others share last, which counts real beginnings.
    let lines: [(place: GuardPlace, limits: AdmissionStateMachine.Terms)]

    var heedsServer: Bool { lines.contains { $0.limits.rate?.heedsServer ?? false } }

    /// Creates the terms from the options of a call, whose own rate limit holds besides the one that it shares, at
    /// another place, so that those that wait for it hold up no others.
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
            options[option].map { ($0, place(GuardKey(identity, setBy: options.level(of: option)))) }
        }
        let number = entry(.concurrency, in: options)
        let common = entry(.rateLimit, in: shared)
        circuit = entry(.circuitBreaker, in: options)
        budget = entry(.retryBudget, in: options)
        var lines: [(place: GuardPlace, limits: AdmissionStateMachine.Terms)] = []
        if let number, number.place !== common?.place {
            lines.append((number.place, AdmissionStateMachine.Terms(concurrency: number.value)))
        }
        if options.level(of: .rateLimit) == .call, let own = options[.rateLimit] {
            lines.append(
                (place(GuardKey(identity, setBy: .call, ownRate: own)), AdmissionStateMachine.Terms(rate: own))
            )
        }
        if let common {
            let concurrency = number?.place === common.place ? number?.value : nil
            lines.append((common.place, AdmissionStateMachine.Terms(rate: common.value, concurrency: concurrency)))
        }
        self.lines = lines
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

    /// Creates the key of an option of a call: that of its API for what this or the call sets, with the rate limit that
    /// only calls with the same one share; otherwise that of its server.
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
