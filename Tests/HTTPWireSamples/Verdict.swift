// SPDX-License-Identifier: MIT

package import HTTPWire
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// The view of one parser of the first response among some bytes.
package enum Verdict: Equatable, Sendable {
    /// A response with the heads before its own, its own, and a body.
    case response(heads: [[String]], body: [UInt8])
    /// An error; `nil` if the bytes end too early.
    case refused(ResponseDefect?)

    /// A Boolean value that is true if there is a response.
    package var isResponse: Bool {
        if case .response = self { true } else { false }
    }

    /// Returns true if both are the same response, or no response for the same reason.
    ///
    /// Of a line that is wrong and has no end, it depends on the pieces which of the two is noticed.
    func agrees(with other: Verdict) -> Bool {
        if case (.refused(let first), .refused(let second)) = (self, other) {
            return first == nil || second == nil || first == second
        }
        return self == other
    }

    /// Returns true if both are the same response, in which each length may be said once or several times.
    func isLike(_ other: Verdict) -> Bool {
        guard case (.response(let heads, let body), .response(let others, let otherBody)) = (self, other) else {
            return false
        }
        func plain(_ heads: [[String]]) -> [[String]] {
            heads.map { $0.filter { !$0.lowercased().hasPrefix("content-length:") } }
        }
        return body == otherBody && plain(heads) == plain(others)
    }

    // MARK: - Ours

    /// The verdict of this library's parser on bytes that come in pieces.
    package static func ours(_ pieces: [ArraySlice<UInt8>], isHead: Bool) -> (verdict: Verdict, hasSurplus: Bool) {
        var parser = ResponseParser(isHead: isHead)
        var heads: [[String]] = []
        var body: [UInt8] = []
        do throws(ResponseDefect) {
            for (index, piece) in pieces.enumerated() {
                let bytes = Array(piece)
                var offset = 0
                reading: while true {
                    switch try parser.next(bytes.span, &offset) {
                    case .needsMore: break reading
                    case .interim, .head: parser.takeHead().map { heads.append(lines($0)) }
                    case .body(let range): body += bytes[range]
                    case .end, .handover:
                        let hasSurplus = offset < bytes.count || index < pieces.count - 1
                        return (.response(heads: heads, body: body), hasSurplus)
                    }
                }
            }
        } catch {
            return (.refused(error), false)
        }
        return (parser.finish() ? .response(heads: heads, body: body) : .refused(nil), false)
    }

    private static func lines(_ head: HeadBytes) -> [String] {
        ["1.\(head.minorVersion) \(head.status)"] + head.fields.map { "\($0)" }
    }

    // MARK: - llhttp's

    private static func trimmed(_ value: String) -> String {
        var value = value[...]
        while value.last == " " || value.last == "\t" {
            value.removeLast()
        }
        return String(value)
    }

    /// The verdict of llhttp, as SwiftNIO uses it.
    package static func llhttp(_ pieces: [ArraySlice<UInt8>], isHead: Bool) -> Verdict {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        var heads: [[String]] = []
        var body: [UInt8] = []
        var isEnded = false
        func collect() {
            while !isEnded, let part = try? channel.readInbound(as: HTTPClientResponsePart.self) {
                switch part {
                case .head(let head):
                    heads.append(
                        // SwiftNIO keeps no reason phrase, and the white space behind values.
                        ["1.\(head.version.minor) \(head.status.code)"]
                            + head.headers.map { "\($0.name): \(trimmed($0.value))" }
                    )
                case .body(let bytes): body += bytes.readableBytesView
                case .end: isEnded = true
                }
            }
        }
        do {
            let decoder = HTTPResponseDecoder(
                leftOverBytesStrategy: .dropBytes,
                informationalResponseStrategy: .forward
            )
            try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(decoder))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
            let request = HTTPRequestHead(version: .http1_1, method: isHead ? .HEAD : .GET, uri: "/")
            try channel.writeOutbound(HTTPClientRequestPart.head(request))
            try channel.writeOutbound(HTTPClientRequestPart.end(nil))
            for piece in pieces {
                try channel.writeInbound(ByteBuffer(bytes: piece))
                collect()
                if isEnded {
                    break
                }
            }
            if !isEnded {
                channel.pipeline.fireChannelInactive()
                try channel.throwIfErrorCaught()
                collect()
            }
        } catch {
            // What came before the error may be a whole response: the error is that of bytes behind it.
            collect()
        }
        return isEnded ? .response(heads: heads, body: body) : .refused(nil)
    }
}
