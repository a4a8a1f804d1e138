// SPDX-License-Identifier: MIT

import HTTPTypes

extension CallPolicy {
    /// Returns true if a response with a status is handed over with its body still to come.
    ///
    /// Whatever a stage may act upon has to be whole: failures, redirects and refused tokens.
    func delivers(_ status: HTTPResponse.Status) -> Bool {
        isStreamed && acceptedStatuses.contains(status) && status != .unauthorized
            && !(300..<400).contains(status.code)
    }

    /// The longest pause between two parts of the response.
    var idleTimeout: Duration? { options[.idleTimeout] ?? (isStreamed ? timeout : nil) }

    /// How many bytes a streamed body may have: any number, unless a level says otherwise.
    var streamLimit: Int { options[.responseLimit] ?? .max }
}

extension CallOptionKey<Duration> {
    static var idleTimeout: Self { Self("idle timeout", comparison: .byValue, isGuard: true) { $0.description } }
}
