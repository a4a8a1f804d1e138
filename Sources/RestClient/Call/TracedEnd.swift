// SPDX-License-Identifier: MIT

package import HTTPTypes
import JobGraphs

/// The end of a call that has a span.
package struct TracedEnd: Sendable {
    package enum Outcome: Sendable {
        /// It ended with a model from this source, or with the end of its body.
        case success(ResponseSource)
        /// It ended with this error, as it was before handlers and mappers replaced it.
        case failure(any Error)
    }

    package let outcome: Outcome

    /// The status of the response; `nil` if there was none.
    package let status: HTTPResponse.Status?

    package let attempts: Int
}

extension TracedEnd {
    static func success(_ status: HTTPResponse.Status, _ source: ResponseSource, attempts: Int) -> TracedEnd {
        switch source {
        case .resultHandler, .fallback: TracedEnd(outcome: .success(source), status: nil, attempts: attempts)
        case .network, .cache, .revalidatedCache, .dummy:
            TracedEnd(outcome: .success(source), status: status, attempts: attempts)
        }
    }

    static func failure(_ error: any Error, attempts: Int) -> TracedEnd {
        let known = ErrorOrigin.first(RestClientError.self, behind: error)
        return TracedEnd(outcome: .failure(error), status: known?.status, attempts: attempts)
    }
}
