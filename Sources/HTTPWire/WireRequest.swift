// SPDX-License-Identifier: MIT

package import HTTPTypes
package import NIOCore
package import RestEssentials

/// A request, written as it goes on the wire.
///
/// It is written on the caller's thread: the threads of the connections have enough to do.
package struct WireRequest: Sendable {
    /// Bodies up to this size go out with the head, in one write.
    static let joinedBodySize = 64 << 10

    /// The parts of a message of HTTP/2, whose fields are compressed for one connection.
    struct Parts: Sendable {
        let method: String
        let target: String
        let authority: String
        let fields: HTTPFields
        let acceptEncoding: String?
        /// The value of `Content-Length`; `nil` if there is none.
        let contentLength: Int64?
        /// The body in memory; empty if there is none.
        let body: Data
    }

    let parts: Parts
    /// The head, with the body if it is short.
    let head: ByteBuffer
    /// The body that follows; empty if it is part of ``head``.
    let body: Data
    /// The body that follows and is not in memory.
    let stream: WireStream?
    /// True if there is a body, wherever it is.
    let hasBody: Bool
    let isHead: Bool
    /// True if the request asks a proxy for a tunnel.
    let isTunnel: Bool
    /// The options of `Connection`, in lower case.
    let connectionOptions: [String]
    /// True if the body waits for the server's consent.
    package let expectsContinue: Bool
    /// The time for which the body waits for it; `nil` for the time of the configuration.
    let continueTimeout: TimeAmount?

    /// True if the server takes several of the request for one (RFC 9110, section 9.2.2).
    var isIdempotent: Bool { Self.idempotentMethods.contains(parts.method) }

    /// True if the request asks the server to close the connection.
    var closesConnection: Bool { connectionOptions.contains("close") }

    /// True if the body is sent in chunks, as its length is not known.
    var isChunked: Bool { stream.map { $0.length == nil } ?? false }

    /// Writes a request.
    ///
    /// `Host` and the fields that frame the message are the writer's own: of several `Host` fields, the first one
    /// counts. `Expect: 100-continue` is omitted from a request without content.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: Path and query, percent-encoded; the whole URL for a proxy that forwards the request; host and port
    ///     for `CONNECT`.
    ///   - host: The value of `Host`, unless the fields have one.
    ///   - fields: The header fields.
    ///   - acceptEncoding: The value of one more field, `Accept-Encoding`; `nil` sends none.
    ///   - body: The body; `nil` if there is none in memory.
    ///   - stream: The body that is produced while it is sent; `nil` if there is none.
    ///   - continueTimeout: The time for which a body waits for consent if the fields say that it does; `nil` for the
    ///     time of the configuration.
    /// - Throws: ``WireFault/invalidRequest(_:)`` if a part holds what would make another message of it.
    package init(
        method: String,
        target: String,
        host: String,
        fields: HTTPFields,
        acceptEncoding: String? = nil,
        body: Data?,
        stream: WireStream? = nil,
        continueTimeout: TimeAmount? = nil
    ) throws(WireFault) {
        guard !method.isEmpty, method.utf8.allSatisfy(\.isToken) else {
            throw .invalidRequest("the method '\(method)' is not a token")
        }
        isTunnel = method == "CONNECT"
        let isPath = target.utf8.first == UInt8(ascii: "/") || target == "*" || target.hasPrefix("http://")
        guard isPath || isTunnel && !target.isEmpty,
            target.utf8.allSatisfy({ $0 &- 0x21 < 0x5E })
        else {
            throw .invalidRequest("the path and query have characters that must be percent-encoded")
        }
        guard method != "TRACE" || (body?.isEmpty ?? true && stream == nil) else {
            throw .invalidRequest("a TRACE request has a body, which RFC 9110 forbids")
        }
        let count = body?.count ?? 0
        let hasContent = count > 0 || (stream != nil && stream?.length != 0)
        let joins = count <= Self.joinedBodySize && !fields.contains(.expect)
        var head = ByteBuffer()
        head.reserveCapacity(
            method.utf8.count + target.utf8.count + host.utf8.count + 64 * (fields.count + 1) + (joins ? count : 0)
        )
        head.writeString(method)
        head.writeInteger(UInt8.space)
        head.writeString(target)
        var connectionOptions: [String] = []
        var awaits = false
        // Host goes first, as RFC 9110 advises, and once, which RFC 9112 demands.
        head.writeStaticString(" HTTP/1.1\r\nHost: ")
        let authority = fields.first { $0.name == .hostName }?.value ?? host
        try Self.write(Array(authority.utf8), to: &head)
        for field in fields {
            switch field.name {
            case .hostName, .contentLength, .transferEncoding:
                continue
            case .connection:
                connectionOptions += Self.options(field.value)
            case .expect:
                if field.value.lowercased() == "100-continue" {
                    // Without content there is nothing that could wait (RFC 9110, section 10.1.1).
                    guard hasContent else {
                        continue
                    }
                    awaits = true
                }
            default:
                break
            }
            let name = field.name.rawName
            guard name.utf8.allSatisfy(\.isToken) else {
                throw .invalidRequest("the name of a header field is not a token")
            }
            head.writeString(name)
            head.writeStaticString(": ")
            let bytes = unsafe field.withUnsafeBytesOfValue { unsafe Array($0) }
            try Self.write(bytes, to: &head)
        }
        if let acceptEncoding {
            head.writeStaticString("Accept-Encoding: ")
            try Self.write(Array(acceptEncoding.utf8), to: &head)
        }
        var length: Int64?
        if let stream, stream.length == nil {
            head.writeStaticString("Transfer-Encoding: chunked\r\n")
        } else if stream != nil || count > 0 || !Self.lackBodies.contains(method) {
            let known = stream?.length ?? Int64(count)
            length = known
            head.writeStaticString("Content-Length: ")
            head.writeString(String(known))
            head.writeStaticString("\r\n")
        }
        head.writeStaticString("\r\n")
        if joins, let body {
            head.writeBytes(body)
        }
        parts = Parts(
            method: method,
            target: target,
            authority: authority,
            fields: fields,
            acceptEncoding: acceptEncoding,
            contentLength: length,
            body: body ?? Data()
        )
        self.head = head
        self.body = joins ? Data() : body ?? Data()
        self.stream = stream
        self.continueTimeout = continueTimeout
        hasBody = body != nil || stream != nil
        isHead = method == "HEAD"
        self.connectionOptions = connectionOptions
        expectsContinue = awaits
    }

    private static let idempotentMethods: Set<String> = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"]

    /// The methods whose requests say nothing of a length unless they have a body.
    private static let lackBodies: Set<String> = ["GET", "HEAD", "DELETE", "CONNECT", "TRACE"]

    private static func options(_ value: String) -> [String] {
        value.lowercased().split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
    }

    /// Writes a value and the end of its line.
    private static func write(_ value: [UInt8], to head: inout ByteBuffer) throws(WireFault) {
        guard value.allSatisfy(\.isFieldContent) else {
            throw .invalidRequest("the value of a header field has a control character")
        }
        head.writeBytes(value)
        head.writeStaticString("\r\n")
    }
}

extension HTTPField.Name {
    fileprivate static let hostName: HTTPField.Name = .init("Host") ?? .from
}
