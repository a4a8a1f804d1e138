// SPDX-License-Identifier: MIT

import JobGraphs

/// A request that a node made, for the report of its run.
struct RequestDetail: WorkDetail {
    private let summary: RequestSummary
    private let timings: CallTimings?
    let attempts: Int
    let source: RunReport.Source?
    let isFromCache: Bool

    /// Creates the detail of a request that received a response.
    init(_ response: ResponseDetails) {
        summary = response.origin.summary
        timings = response.timings
        attempts = response.attempts
        source = RunReport.Source(response.raw.source)
        isFromCache = response.raw.source.isCache
    }

    /// Creates the detail of a failed request; `nil` if the error belongs to no request.
    init?(_ error: RestClientError) {
        guard let request = error.request else {
            return nil
        }
        summary = request
        timings = error.timings
        attempts = error.attempts
        source = nil
        isFromCache = false
    }

    var words: String { summary.description }
    var origin: Duration? { timings?.origin }

    func spans(from offset: Duration) -> [RunReport.Span] {
        timings?.spans(from: offset) ?? []
    }
}
