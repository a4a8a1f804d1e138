// SPDX-License-Identifier: MIT

public import HTTPTypes

/// A response whose head has arrived, and whose body is read as it arrives.
///
/// ```swift
/// let response = try await manager.request(.export).stream()
/// for try await order in response.jsonLines(of: Order.self) { … }
/// ```
///
/// The status was accepted before the first byte is delivered: any other status fails the call with the complete body.
/// The body can be read once. A consumer that stops reading, or a response that is released without being read, cancels
/// the exchange.
public struct StreamedResponse: Sendable {
    let head: RawResponse

    /// The body in chunks, without its content codings.
    public let bytes: ByteStream

    /// The call to which this is the response.
    public let callID: CallID

    /// Decodes lines in the same way as the call's responses.
    let reader: any BodyReader

    /// True if the request was unsafe and may have had an effect, so that another one would have it again.
    let mayHaveHadEffect: Bool

    /// The status of the response.
    public var status: HTTPResponse.Status { head.status }

    /// The header fields of the response.
    public var headers: HTTPFields { head.headers }

    /// The source of the response.
    public var source: ResponseSource { head.source }

    /// The URL that responded after redirects; `nil` if it is the request's.
    public var url: String? { head.url }

    /// Reads the body as lines of text, without their terminators (LF or CR LF).
    ///
    /// Their encoding is that of a byte order mark, or else of the parameter `charset`; UTF-8 without either. An
    /// unknown one fails with ``RestClientError/Code-swift.struct/decodingFailed``.
    ///
    /// - Parameter limit: The maximum length of a line in bytes; 1 MiB by default. A longer line fails with
    ///   ``RestClientError/Code-swift.struct/lineTooLong``.
    /// - Returns: The lines; the last one needs no terminator.
    public func lines(limit: Int = 1 << 20) -> some AsyncSequence<String, any Error> & Sendable {
        let contentType = headers[.contentType]
        return ParsedStream(bytes) { LineText(contentType: contentType, limit: limit) }
    }

    /// Reads the body as JSON values, one per line (JSON lines, NDJSON), and decodes each like the call's responses.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - limit: The maximum length of a line in bytes; 16 MiB by default.
    /// - Returns: The values; blank lines are skipped. A line that cannot be decoded fails with
    ///   ``RestClientError/Code-swift.struct/decodingFailed`` and its number.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type,
        limit: Int = 16 << 20
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        let (headers, reader) = (headers, reader)
        return ParsedStream(bytes) { JSONLineValues<Value>(headers: headers, reader: reader, limit: limit) }
    }
}

extension StreamedResponse: MirroredByDescription {
    /// The status and the header fields, with secrets masked.
    public var description: String { Redaction.response(status, headers, body: nil) }
}
