// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOHTTP1

/// A URL for AsyncHTTPClient, which parses it with Foundation and sends some characters in another form than they are
/// written in.
///
/// Path and query then go along in a field, which ``StatusGuard`` takes away: nothing is sent over a connection without
/// one.
struct WrittenTarget {
    /// The name of the field, in lower case; a request with such a field of its own is sent without it.
    static let field = "rest-client-written-target"

    let encoded: String
    /// Path and query as they are written; `nil` if they are sent so anyway.
    let written: String?

    init(of url: String) {
        guard !Self.isUnchanged(url), let sent = try? HTTPURL(sent: url) else {
            encoded = url
            written = nil
            return
        }
        var plain = ""
        for byte in sent.target.utf8 {
            let text = String(Unicode.Scalar(byte))
            plain += Self.isPlain(byte) && byte != UInt8(ascii: "%") ? text : PercentEncoding.encode(text)
        }
        encoded = "\(sent.scheme)://\(sent.authority)\(plain)"
        written = sent.target
    }

    static func restore(_ head: inout HTTPRequestHead) {
        guard let written = head.headers.first(name: field) else {
            return
        }
        head.uri = written
        head.headers.remove(name: field)
    }

    /// Returns true for a URL that holds only characters that every parser keeps, and complete triplets.
    private static func isUnchanged(_ url: String) -> Bool {
        var rest = url.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
                    return false
                }
            } else if !isPlain(byte) {
                return false
            }
        }
        return true
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["),
            UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default:
            byte > 0x20 && byte < 0x7F
        }
    }
}

#endif
