// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Keeps the call out of logs: the log adapter and ``CurlPrinter`` pass over it.
    ///
    /// Observers are told of it all the same; ``RequestSummary/isMuted`` lets them do likewise.
    ///
    /// - Returns: A changed copy.
    public consuming func muted() -> Self {
        specification.isMuted = true
        return self
    }
}
