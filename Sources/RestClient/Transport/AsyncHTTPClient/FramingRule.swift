// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOHTTP1
import RestEssentials

/// Decides which heads of HTTP/1.1 frame their body in a way that this library can follow: pure.
///
/// SwiftNIO reads a body with an unknown or ill-placed transfer coding up to the end of the connection, or removes only
/// one of its codings, and hands over bytes that are not the body.
enum FramingRule {
    private static let field = "transfer-encoding"

    /// Returns the defect of a head; `nil` if it has none.
    ///
    /// The only transfer coding that a client which asks for none may get is `chunked`, once (RFC 9112, section 7).
    static func defect(of head: HTTPResponseHead) -> String? {
        guard !head.headers.contains(where: { MarkRun.isExcessive($0.value) }) else {
            return "the value of a field has too many combining marks in a row"
        }
        // Only a look at the length is paid for by nearly all lines.
        guard head.headers.contains(where: { $0.name.utf8.count == field.utf8.count && isField($0.name) }) else {
            return nil
        }
        let codings = FieldList.elements(of: head.headers[field]).map { FieldList.token($0) }
        guard head.version.major > 1 || head.version == .http1_1 else {
            return "a response of HTTP/1.0 has a transfer coding, which that version does not know"
        }
        switch codings {
        case ["chunked"]:
            return nil
        case []:
            return "the response has an empty transfer coding"
        case _ where codings.dropLast().contains("chunked"):
            return "the response has the transfer codings '\(text(codings))', of which 'chunked' must be the last one"
        default:
            return "the response has the transfer codings '\(text(codings))', which the request did not ask for"
        }
    }

    private static func isField(_ name: String) -> Bool {
        name.lowercased() == field
    }

    private static func text(_ codings: [String]) -> String {
        String(codings.joined(separator: ", ").prefix(60))
    }
}

#endif
