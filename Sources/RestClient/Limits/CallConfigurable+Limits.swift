// SPDX-License-Identifier: MIT

import HTTPTypes
public import JobGraphs

extension CallConfigurable {
    /// Limits the body of the response, after decompression; if no level sets it, 64 MiB for one that is collected in
    /// memory, and none for streams and downloads.
    ///
    /// It also limits each message of a WebSocket. A longer one fails the call, or ends the stream, with
    /// ``RestClientError/Code-swift.struct/responseTooLarge``.
    ///
    /// - Parameter bytes: The limit, in bytes.
    /// - Returns: A changed copy.
    public consuming func responseLimit(_ bytes: Int) -> Self {
        option(.responseLimit, bytes)
    }

    /// Limits how many times as long as on the wire the body of a response may become by decompression; any number when
    /// no level sets it.
    ///
    /// Usual bodies shrink to a tenth. 1,000 times is as much as the format can do, and what a bomb does. Bodies of
    /// less than 64 KiB are not judged. ``responseLimit(_:)`` holds besides.
    ///
    /// - Parameter factor: The limit, at least 1.
    /// - Returns: A changed copy.
    public consuming func decompressionLimit(_ factor: Int) -> Self {
        option(.decompressionLimit, factor)
    }

    /// Limits the header of a response; by default the transport's own limits hold, which keep the memory small.
    ///
    /// A response with more fails the call with ``RestClientError/Code-swift.struct/headerTooLarge``, also on the way
    /// of redirects. ``DirectTransport`` takes 256 fields and 128 KiB in all from HTTP/1.1, `AsyncHTTPClientTransport`
    /// 256 fields of at most 80 KiB each, and 16 KiB in all from HTTP/2.
    ///
    /// - Parameters:
    ///   - fields: How many fields the header may have.
    ///   - bytes: How many bytes their names and values may have together.
    /// - Returns: A changed copy.
    public consuming func headerLimit(fields: Int = .max, bytes: Int = .max) -> Self {
        option(.headerLimit, HeaderLimit(fields: fields, bytes: bytes))
    }

    /// Limits the time from the end of a request to the first byte of its response; none when no level sets it.
    ///
    /// It holds for each exchange on the wire. ``DirectTransport`` and ``AsyncHTTPClientTransport`` keep it; dummies
    /// have no such time.
    ///
    /// - Parameter timeout: The limit.
    /// - Returns: A changed copy.
    public consuming func firstByteTimeout(_ timeout: Duration) -> Self {
        option(.firstByteTimeout, timeout)
    }

    /// Limits the time without a byte of a response that has begun.
    ///
    /// When no level sets it, a whole response has the time of the call, and a streamed one as much between any two
    /// chunks while somebody waits; server-sent events may pause for any time. ``DirectTransport`` and
    /// ``AsyncHTTPClientTransport`` keep it.
    ///
    /// - Parameter timeout: The limit.
    /// - Returns: A changed copy.
    public consuming func idleTimeout(_ timeout: Duration) -> Self {
        option(.idleTimeout, timeout)
    }

    /// Limits the time of each attempt of a call on the wire; unlimited if no level sets it.
    ///
    /// Waiting for a worker does not count. An attempt that takes longer fails with
    /// ``RestClientError/Code-swift.struct/timeout``, after which a retry may follow as long as the call's own
    /// ``timeout(_:)`` allows.
    ///
    /// - Parameter timeout: The limit.
    /// - Returns: A changed copy.
    public consuming func attemptTimeout(_ timeout: Duration) -> Self {
        option(.attemptTimeout, timeout)
    }

    /// Sets the priority with which the call waits for a worker.
    ///
    /// The default is ``/JobGraphs/JobPriority/normal``.
    ///
    /// - Parameter priority: The priority.
    /// - Returns: A changed copy.
    public consuming func priority(_ priority: JobPriority) -> Self {
        option(.priority, priority)
    }
}

extension CallOptions {
    static let defaultResponseLimit = 64 << 20
}

extension CallOptionKey<Int> {
    static var decompressionLimit: Self {
        Self("decompression limit", comparison: .byValue, needs: .wire) { "\($0) times" }
    }
    static var responseLimit: Self { Self("response limit", comparison: .byValue) { "\($0) bytes" } }
}

extension CallOptionKey<HeaderLimit> {
    static var headerLimit: Self { Self("header limit", comparison: .byValue, needs: .headerLimit) { $0.description } }
}

extension CallOptionKey<Duration> {
    static var firstByteTimeout: Self {
        Self("first byte timeout", comparison: .byValue, needs: .wire) { $0.description }
    }

    static var attemptTimeout: Self {
        Self("attempt timeout", comparison: .byValue, needs: .attemptTimeout) { $0.description }
    }
}

extension CallOptionKey<JobPriority> {
    static var priority: Self { Self("priority", comparison: .byValue) { "\($0)" } }
}

struct HeaderLimit: Sendable, Hashable {
    let fields: Int
    let bytes: Int

    var description: String {
        var parts: [String] = []
        if fields < .max {
            parts.append("\(fields) fields")
        }
        if bytes < .max {
            parts.append("\(bytes) bytes")
        }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }

    func defect(of headers: HTTPFields) -> String? {
        guard headers.count <= fields else {
            return "the response has \(headers.count) header fields, and \(fields) are allowed"
        }
        let count = headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        return count <= bytes ? nil : "the header of the response has \(count) bytes, and \(bytes) are allowed"
    }
}
