// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Asks the server for its consent before a long body is sent (`Expect: 100-continue`, RFC 9110, section 10.1.1);
    /// no body waits when no level sets it.
    ///
    /// The request is sent with its head alone. The body follows once the server responds with 100, or when the time is
    /// up, as not every server does. Any other response comes instead of the body, which is not sent then: a refusal
    /// costs no upload, and a stream that can be read once is left unread. A server that refuses the question itself
    /// (417) is sent the request once more, without it, if the body can be sent.
    ///
    /// ``DirectTransport`` asks, over HTTP/1.1. The other transports, and HTTP/2, send the body at once.
    ///
    /// - Parameters:
    ///   - length: The number of bytes from which a body waits; 1 MiB by default. A body of unknown length always does.
    ///     `Int64.max` lets none wait, of unknown length neither.
    ///   - timeout: The longest time to wait; one second by default.
    /// - Returns: A changed copy.
    public consuming func expectContinue(from length: Int64 = 1 << 20, within timeout: Duration = .seconds(1)) -> Self {
        options[.continueRule] = ContinueRule(length: length, timeout: timeout)
        return self
    }
}

extension CallOptionKey<ContinueRule> {
    static var continueRule: Self { Self("expect continue", comparison: .byValue, needs: .wire) { $0.description } }
}

struct ContinueRule: Sendable, Hashable {
    /// The number of bytes from which a body waits.
    let length: Int64
    let timeout: Duration

    var description: String {
        length < .max ? "bodies from \(length) bytes, for at most \(timeout)" : "none"
    }

    /// Returns how long a body waits; `nil` if it is sent at once.
    func timeout(for body: RequestBody?) -> Duration? {
        guard let body, length < .max, body.length.map({ $0 >= length && $0 > 0 }) ?? true else {
            return nil
        }
        return timeout
    }
}
