// SPDX-License-Identifier: MIT

// MARK: - Responses

extension LoopbackResponse {
    /// Returns a response without a body.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The header lines. The default is none.
    /// - Returns: The response.
    public static func status(_ status: Int, headers: LoopbackHeaders = [:]) -> Self {
        Self(status: status, headers: headers)
    }

    /// Returns a JSON response, labelled `application/json` unless the headers say otherwise.
    ///
    /// - Parameters:
    ///   - json: The JSON text, sent as it is.
    ///   - status: The status code. The default is 200.
    ///   - headers: The header lines. The default is none.
    /// - Returns: The response.
    public static func json(_ json: String, status: Int = 200, headers: LoopbackHeaders = [:]) -> Self {
        bytes(Array(json.utf8), contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a text response, labelled `text/plain; charset=utf-8` unless the headers say otherwise.
    ///
    /// - Parameters:
    ///   - text: The text, sent as UTF-8.
    ///   - status: The status code. The default is 200.
    ///   - headers: The header lines. The default is none.
    /// - Returns: The response.
    public static func text(_ text: String, status: Int = 200, headers: LoopbackHeaders = [:]) -> Self {
        bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Returns a response with a body of bytes.
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

    /// Returns a response in chunks, with gates at which the test can pause it.
    ///
    /// - Parameters:
    ///   - chunks: The chunks, first to last.
    ///   - status: The status code. The default is 200.
    ///   - headers: The header lines. The default is none.
    /// - Returns: The response.
    public static func chunks(
        _ chunks: [Chunk],
        status: Int = 200,
        headers: LoopbackHeaders = [:]
    ) -> Self {
        stream(status: status, headers: headers) { writer in
            for chunk in chunks {
                switch chunk {
                case .bytes(let bytes): try await writer.write(bytes)
                case .wait(let gate): try await gate.wait()
                }
            }
        }
    }

    /// Returns a response whose body is streamed.
    ///
    /// - Parameters:
    ///   - status: The status code. The default is 200.
    ///   - headers: The header lines. The default is none.
    ///   - write: Writes the body, in HTTP/1.1 a chunk at a time. The body ends when the closure returns, and is cut
    ///     off if it throws.
    /// - Returns: The response.
    public static func stream(
        status: Int = 200,
        headers: LoopbackHeaders = [:],
        _ write: @escaping @Sendable (LoopbackBodyWriter) async throws -> Void
    ) -> Self {
        Self(status: status, headers: headers, body: .stream(write))
    }

    /// Returns a redirect.
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
    /// Closes the connection without a response.
    public static var close: Self {
        fault(.nothing, .close)
    }

    /// Resets the connection without a response.
    public static var reset: Self {
        fault(.nothing, .reset)
    }

    /// Never responds.
    ///
    /// The connection stays open until the client or the server closes it.
    public static var never: Self {
        fault(.nothing, .stall)
    }

    /// Returns bytes that are sent verbatim instead of a response.
    ///
    /// In HTTP/2 the bytes are sent on the connection, between the frames of its streams.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - ending: The end of the exchange. By default the connection is closed; `.complete` keeps it, for a valid
    ///     response that was written by hand.
    /// - Returns: The response.
    public static func raw(_ bytes: [UInt8], ending: Ending = .close) -> Self {
        fault(.raw(bytes), ending)
    }

    /// Returns UTF-8 text that is sent verbatim instead of a response.
    ///
    /// - Parameters:
    ///   - text: The text, with its line breaks (`\r\n`).
    ///   - ending: The end of the exchange. By default the connection is closed.
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
    /// Adds a header line.
    ///
    /// - Parameters:
    ///   - name: The header's name.
    ///   - value: Its value.
    /// - Returns: The response.
    public func header(_ name: String, _ value: String) -> Self {
        changed { response in response.headers.append(name, value) }
    }

    /// Sets the trailers.
    ///
    /// - Parameter trailers: The lines.
    /// - Returns: The response.
    public func trailers(_ trailers: LoopbackHeaders) -> Self {
        changed { response in response.trailers = trailers }
    }

    /// Compresses the body and sets `Content-Encoding`, regardless of what the client accepts.
    ///
    /// - Parameter encoding: The content coding.
    /// - Returns: The response.
    public func encoded(_ encoding: LoopbackContentEncoding) -> Self {
        changed { response in response.contentEncoding = encoding }
    }

    /// Sets a false `Content-Length`, and closes the connection after the body.
    ///
    /// If the length exceeds that of the body, the body is cut off.
    ///
    /// - Parameter length: The length to claim.
    /// - Returns: The response.
    public func claimingLength(_ length: Int) -> Self {
        changed { response in
            response.headers["Content-Length"] = String(length)
            response.ending = .close
        }
    }

    /// Sets the end of the exchange, for example to cut the response off or stall it after the body.
    ///
    /// - Parameter ending: The end of the exchange.
    /// - Returns: The response.
    public func ending(_ ending: Ending) -> Self {
        changed { response in response.ending = ending }
    }

    /// Delays the response until the gate lets it pass.
    ///
    /// - Parameter gate: The gate.
    /// - Returns: The response.
    public func after(_ gate: Gate) -> Self {
        changed { response in response.gate = gate }
    }

    /// Adds an informational response, after those that were added before.
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
