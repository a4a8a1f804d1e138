// SPDX-License-Identifier: MIT

// MARK: - Answers
extension LoopbackResponse {
    /// A response without a body.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The header lines. The default is none.
    /// - Returns: The response.
    public static func status(_ status: Int, headers: LoopbackHeaders = [:]) -> Self {
        Self(status: status, headers: headers)
    }

    /// A JSON response, labelled `application/json` unless the headers say otherwise.
    ///
    /// - Parameters:
    ///   - json: The JSON text, sent as it is.
    ///   - status: The status code. The default is 200.
    ///   - headers: The header lines. The default is none.
    /// - Returns: The response.
    public static func json(_ json: String, status: Int = 200, headers: LoopbackHeaders = [:]) -> Self {
        bytes(Array(json.utf8), contentType: "application/json", status: status, headers: headers)
    }

    /// A text answer, labelled `text/plain; charset=utf-8` unless the headers say otherwise.
    ///
    /// - Parameters:
    ///   - text: The text, sent as UTF-8.
    ///   - status: The status code. The default is 200.
    ///   - headers: The header lines. The default is none.
    /// - Returns: The response.
    public static func text(_ text: String, status: Int = 200, headers: LoopbackHeaders = [:]) -> Self {
        bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// A response with a body of bytes.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - contentType: The media type, unless the headers name one. The default is `application/octet-stream`.
    ///   - status: The status code. The default is 200.
    ///   - headers: The header lines. The default is none.
    /// - Returns: The response.
    public static func bytes(
        _ bytes: [UInt8],
        contentType: String = "application/octet-stream",
        status: Int = 200,
        headers: LoopbackHeaders = [:]
    ) -> Self {
        var response = Self(status: status, headers: headers, body: .bytes(bytes))
        if response.headers["content-type"] == nil {
            response.headers.append("Content-Type", contentType)
        }
        return response
    }

    /// A response in pieces, with gates between them where the test wants to stop.
    ///
    /// - Parameters:
    ///   - chunks: The pieces, first to last.
    ///   - status: The status code. The default is 200.
    ///   - headers: The header lines. The default is none.
    /// - Returns: The response.
    public static func chunks(
        _ chunks: [LoopbackBody.Chunk],
        status: Int = 200,
        headers: LoopbackHeaders = [:]
    ) -> Self {
        Self(status: status, headers: headers, body: .chunks(chunks))
    }

    /// A response whose body is written piece by piece.
    ///
    /// - Parameters:
    ///   - status: The status code. The default is 200.
    ///   - headers: The header lines. The default is none.
    ///   - write: Writes the body; the body ends when this returns and is cut off when it throws.
    /// - Returns: The response.
    public static func stream(
        status: Int = 200,
        headers: LoopbackHeaders = [:],
        _ write: @escaping @Sendable (LoopbackBodyWriter) async throws -> Void
    ) -> Self {
        Self(status: status, headers: headers, body: .stream(write))
    }

    /// A redirect.
    ///
    /// - Parameters:
    ///   - location: The value of `Location`.
    ///   - status: The status code. The default is 302.
    /// - Returns: The response.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        Self(status: status, headers: ["Location": location])
    }
}

// MARK: - Faults
extension LoopbackResponse {
    /// No response: the connection is closed.
    public static var close: Self {
        fault(.nothing, .close)
    }

    /// No response: the connection is reset.
    public static var reset: Self {
        fault(.nothing, .reset)
    }

    /// No response ever: the connection stays open until the client or the server closes it.
    public static var never: Self {
        fault(.nothing, .stall)
    }

    /// Bytes in place of a response, sent verbatim; then, by default, the connection is closed.
    ///
    /// In HTTP/2 the bytes go onto the connection, between the frames of its streams.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - ending: What happens after them. The default is that the connection is closed; `.complete` keeps it, as for
    ///     a response that has been written by hand and is right.
    /// - Returns: The response.
    public static func raw(_ bytes: [UInt8], ending: Ending = .close) -> Self {
        fault(.raw(bytes), ending)
    }

    /// Text in place of a response, sent verbatim as UTF-8; then, by default, the connection is closed.
    ///
    /// - Parameters:
    ///   - text: The text, with its line breaks (`\r\n`).
    ///   - ending: What happens after it. The default is that the connection is closed.
    /// - Returns: The response.
    public static func raw(_ text: String, ending: Ending = .close) -> Self {
        fault(.raw(Array(text.utf8)), ending)
    }

    private static func fault(_ opening: Opening, _ ending: Ending) -> Self {
        var response = Self()
        response.opening = opening
        response.ending = ending
        return response
    }
}

// MARK: - Changes
extension LoopbackResponse {
    /// The same response with one more header line.
    ///
    /// - Parameters:
    ///   - name: The header's name.
    ///   - value: Its value.
    /// - Returns: The response.
    public func header(_ name: String, _ value: String) -> Self {
        changed { response in response.headers.append(name, value) }
    }

    /// The same response with header lines after its body.
    ///
    /// - Parameter trailers: The lines.
    /// - Returns: The response.
    public func trailers(_ trailers: LoopbackHeaders) -> Self {
        changed { response in response.trailers = trailers }
    }

    /// The same response with its body compressed and `Content-Encoding` set, whatever the client accepts.
    ///
    /// - Parameter encoding: How to compress.
    /// - Returns: The response.
    public func encoded(_ encoding: LoopbackContentEncoding) -> Self {
        changed { response in response.contentEncoding = encoding }
    }

    /// The same response under a false `Content-Length`; the connection is closed after the bytes that there are.
    ///
    /// A length beyond the body's makes a body that is cut off.
    ///
    /// - Parameter length: The length to claim.
    /// - Returns: The response.
    public func claimingLength(_ length: Int) -> Self {
        changed { response in
            response.headers["Content-Length"] = String(length)
            response.ending = .close
        }
    }

    /// The same response with another ending, for example cut off or stalled after the bytes that there are.
    ///
    /// - Parameter ending: What happens after the last byte.
    /// - Returns: The response.
    public func ending(_ ending: Ending) -> Self {
        changed { response in response.ending = ending }
    }

    /// The same response, sent when the gate lets it pass.
    ///
    /// - Parameter gate: The gate.
    /// - Returns: The response.
    public func after(_ gate: Gate) -> Self {
        changed { response in response.gate = gate }
    }

    /// The same response with an informational one ahead of it, after those that are there already.
    ///
    /// - Parameters:
    ///   - status: The informational status, 100 to 199.
    ///   - headers: Its header lines. The default is none.
    /// - Returns: The response.
    public func preceded(by status: Int, headers: LoopbackHeaders = [:]) -> Self {
        changed { response in response.informational.append(Informational(status: status, headers: headers)) }
    }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var response = self
        change(&response)
        return response
    }
}
