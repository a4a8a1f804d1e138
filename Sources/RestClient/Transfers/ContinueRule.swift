// SPDX-License-Identifier: MIT

/// Decides which bodies wait for the server's consent: pure.
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
