// SPDX-License-Identifier: MIT

extension RestClientError {
    static func timedOut(after limit: Duration?, underlying: (any Error)? = nil) -> RestClientError {
        let limit = limit.map { " within \($0)" } ?? ""
        return RestClientError(
            .timeout,
            "the call did not end\(limit); allow more with .timeout(_:) or see why the server is slow",
            underlying: underlying
        )
    }
}
