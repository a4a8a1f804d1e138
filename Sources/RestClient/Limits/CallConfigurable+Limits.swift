// SPDX-License-Identifier: MIT

public import JobGraphs

extension CallConfigurable {
    /// Limits the body of the response, after decompression; 64 MiB if no level sets it.
    ///
    /// - Parameter bytes: The limit, in bytes.
    /// - Returns: A changed copy.
    public consuming func responseLimit(_ bytes: Int) -> Self {
        options[.responseLimit] = bytes
        return self
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
        options[.attemptTimeout] = timeout
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
    /// The limit that applies if no level sets one.
    static let defaultResponseLimit = 64 << 20
}

extension CallOptionKey<Int> {
    static var responseLimit: Self { Self("response limit", comparison: .byValue) { "\($0) bytes" } }
}

extension CallOptionKey<Duration> {
    static var attemptTimeout: Self { Self("attempt timeout", comparison: .byValue) { $0.description } }
}

extension CallOptionKey<JobPriority> {
    static var priority: Self { Self("priority", comparison: .byValue) { "\($0)" } }
}
