// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Excludes calls from logs: the log adapter and ``CurlPrinter`` skip them.
    ///
    /// Observers still receive their events, and can do the same with ``RequestSummary/isMuted``.
    ///
    /// - Returns: A changed copy.
    public consuming func muted() -> Self {
        options[.isMuted] = true
        return self
    }

    /// Sets the caller's own identifier, which events and errors carry.
    ///
    /// - Parameter identifier: Any text.
    /// - Returns: A changed copy.
    public consuming func callIdentifier(_ identifier: String) -> Self {
        options[.callIdentifier] = identifier
        return self
    }
}

extension CallOptionKey<Bool> {
    static var isMuted: Self { Self("muted", comparison: .byValue) { "\($0)" } }
}

extension CallOptionKey<String> {
    static var callIdentifier: Self { Self("call identifier") { $0 } }
}
