// SPDX-License-Identifier: MIT

import HTTPTypes

extension CallPolicy {
    /// Returns true if a response with the given status is delivered as a stream.
    ///
    /// A response on which a stage may act must be complete: failures, redirects and rejected tokens.
    func delivers(_ status: HTTPResponse.Status) -> Bool {
        isStreamed && acceptedStatuses.contains(status) && status != .unauthorized
            && !(300..<400).contains(status.code)
    }

    /// The longest pause between two parts of the response.
    var idleTimeout: Duration? { options[.idleTimeout] ?? (isStreamed && !mayPause ? timeout : nil) }

    /// The maximum size of a streamed body in bytes; unlimited unless a level sets it.
    var streamLimit: Int { options[.responseLimit] ?? .max }
}

extension CallOptionKey<Duration> {
    static var idleTimeout: Self { Self("idle timeout", comparison: .byValue, needs: .wire) { $0.description } }
}

extension CallContext {
    /// The number of bytes that a part of a stream may have, such as a message; unlimited if no level sets a limit.
    package var streamLimit: Int { policy.streamLimit }
}
