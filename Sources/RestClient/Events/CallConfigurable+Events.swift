// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Keeps calls out of logs: the log adapter and ``CurlPrinter`` pass over them.
    ///
    /// Observers still receive their events; ``RequestSummary/isMuted`` lets them do likewise.
    ///
    /// - Returns: A changed copy.
    public consuming func muted() -> Self {
        options[.isMuted] = true
        return self
    }

    /// Sets an identifier of the caller's own, which events and errors carry.
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
