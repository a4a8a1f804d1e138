// SPDX-License-Identifier: MIT

import HTTPTypes
public import JobGraphs

extension CallConfigurable {
    /// Limits the size of responses; a limit that is not given here is left to the outer levels.
    ///
    /// - Parameters:
    ///   - body: How many bytes the body may have after decompression; if no level sets it, 64 MiB for one that is
    ///     collected in memory, and any number for streams and downloads. It also limits each message of a WebSocket. A
    ///     longer one fails the call, or ends the stream, with
    ///     ``RestClientError/Code-swift.struct/responseTooLarge``.
    ///   - decompression: How many times as long as on the wire the body may become by decompression, at least 1; any
    ///     number if no level sets it. Usual bodies shrink to a tenth. 1,000 times is as much as the format can do, and
    ///     what a bomb does. Bodies of less than 64 KiB are not judged.
    ///   - headerFields: How many fields the header may have. A response with more fails the call with
    ///     ``RestClientError/Code-swift.struct/headerTooLarge``, also on the way of redirects. By default the
    ///     transport's own limits hold: ``DirectTransport`` takes 256 fields and 128 KiB in all.
    ///   - headerBytes: How many bytes their names and values may have together. This limit and that of the fields are
    ///     one option: a level that sets one of them lifts the other.
    /// - Returns: A changed copy.
    public consuming func limits(
        body: Int? = nil,
        decompression: Int? = nil,
        headerFields: Int? = nil,
        headerBytes: Int? = nil
    ) -> Self {
        options[.responseLimit] = body ?? options[.responseLimit]
        options[.decompressionLimit] = decompression ?? options[.decompressionLimit]
        if headerFields != nil || headerBytes != nil {
            options[.headerLimit] = HeaderLimit(fields: headerFields ?? .max, bytes: headerBytes ?? .max)
        }
        return self
    }

    /// Limits the time of parts of a call, besides the ``timeout(_:)`` of the whole; a limit that is not given here is
    /// left to the outer levels.
    ///
    /// - Parameters:
    ///   - attempt: The limit of each attempt on the wire; none if no level sets it. Waiting for a worker does not
    ///     count. An attempt that takes longer fails with ``RestClientError/Code-swift.struct/timeout``, after which a
    ///     retry may follow as long as the time of the call allows.
    ///   - firstByte: The limit from the end of a request to the first byte of its response, for each exchange on the
    ///     wire; none if no level sets it. Dummies have no such time.
    ///   - idle: The limit without a byte of a response that has begun. If no level sets it, a whole response has the
    ///     time of the call, and a streamed one as much between any two chunks while a reader waits; server-sent events
    ///     may pause for any time.
    /// - Returns: A changed copy.
    public consuming func timeouts(
        attempt: Duration? = nil,
        firstByte: Duration? = nil,
        idle: Duration? = nil
    ) -> Self {
        options[.attemptTimeout] = attempt ?? options[.attemptTimeout]
        options[.firstByteTimeout] = firstByte ?? options[.firstByteTimeout]
        options[.idleTimeout] = idle ?? options[.idleTimeout]
        return self
    }

    /// Sets the priority with which the call waits for a worker.
    ///
    /// The default is ``/JobGraphs/JobPriority/normal``.
    ///
    /// - Parameter priority: The priority.
    /// - Returns: A changed copy.
    public consuming func priority(_ priority: JobPriority) -> Self {
        options[.priority] = priority
        return self
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
