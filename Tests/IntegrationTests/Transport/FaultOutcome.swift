// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// The outcome of a call that meets a fault of a server.
enum FaultOutcome: Sendable, Hashable {
    case failure(RestClientError.Code)
    case body(String)

    /// The outcome of a call whose request the server responded to as if there were no fault.
    static let unharmed = FaultOutcome.body("good")

    /// Makes a call, and returns its outcome.
    static func of(_ call: () async throws -> String) async throws -> FaultOutcome {
        do {
            return .body(try await call())
        } catch let error as RestClientError {
            if error.code == .transportFailed {
                Issue.record(error, "no fault of a server is without a name")
            }
            return .failure(error.code)
        }
    }

    /// Makes calls until one meets a fault; a busy machine may need longer than the limit to send a request at all.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - server: The server, which has met no fault before.
    ///   - limit: The time limit of the first call; each further one has twice the time.
    ///   - call: The call.
    /// - Returns: The outcome of the call that met the fault.
    /// - Throws: The error of a call that is none of this library.
    static func meeting(
        _ fault: FaultServer.Fault,
        of server: FaultServer,
        within limit: Duration,
        _ call: (_ limit: Duration) async throws -> String
    ) async throws -> FaultOutcome {
        server.inject(fault)
        var current = limit
        while true {
            let outcome = try await of { try await call(current) }
            if server.met.last == fault {
                if current == limit || outcome != .unharmed {
                    return outcome
                }
                // The request of an earlier call met it, which had given up before.
                server.inject(fault)
            }
            current *= 2
        }
    }
}

extension [String: Set<FaultOutcome>] {
    /// Sets the possible outcomes of calls that meet one of some faults, whose names are the keys.
    mutating func expect(_ outcome: FaultOutcome..., from faults: [FaultServer.Fault]) {
        for fault in faults {
            self[fault.name] = Set(outcome)
        }
    }
}
