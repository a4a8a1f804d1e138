// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import RestEssentials

enum SystemReason {
    /// Returns the reason as the end of a sentence about the server; `nil` if the error is not one of the system.
    static func text(of error: any Error) -> String? {
        switch error {
        case let error as IOError:
            return words(for: error.errnoCode)
        case let error as NIOConnectionError:
            var reasons: [String] = []
            for case let reason? in error.connectionErrors.map({ text(of: $0.error) }) where !reasons.contains(reason) {
                reasons.append(reason)
            }
            return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
        default:
            return nil
        }
    }

    /// Returns a description of an error of the system, instead of that of NIO, whose brackets have no beginning.
    static func description(of error: any Error) -> String? {
        switch error {
        case let error as IOError:
            "IOError: \(words(for: error.errnoCode)) (errno \(error.errnoCode))"
        case let error as NIOConnectionError where !error.connectionErrors.isEmpty:
            "NIOConnectionError: "
                + error.connectionErrors.map { "\(description(of: $0.error) ?? "\($0.error)") at \($0.target)" }
                .joined(separator: ", ")
        default:
            nil
        }
    }

    private static func words(for code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "it refused the connection"
        case ECONNRESET, EPIPE: "it reset the connection"
        case EHOSTUNREACH, EHOSTDOWN: "it cannot be reached"
        case ENETUNREACH, ENETDOWN: "its network cannot be reached"
        case EADDRNOTAVAIL: "this machine has no address from which it can be reached"
        case EACCES, EPERM: "the system does not permit it"
        case ETIMEDOUT: "it did not respond in time"
        case EMFILE, ENFILE: "too many files are open"
        default: "error \(code) of the system"
        }
    }
}
