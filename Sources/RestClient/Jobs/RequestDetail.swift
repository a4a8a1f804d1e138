// SPDX-License-Identifier: MIT

import JobGraphs

/// A request that a node made, for the report of its run.
struct RequestDetail: WorkDetail {
    /// The request and its times; those of a response are made on access, because most reports are never read.
    private enum Origin {
        case response(ResponseOrigin)
        case failure(RequestSummary, CallTimings?)
    }

    private let call: Origin
    let attempts: Int
    let source: RunReport.Source?
    let isFromCache: Bool

    init(_ response: ResponseDetails) {
        call = .response(response.origin)
        attempts = response.attempts
        source = RunReport.Source(response.raw.source)
        isFromCache = response.raw.source.isCache
    }

    /// Creates the detail of a failed request; `nil` if the error belongs to no request.
    init?(_ error: RestClientError) {
        guard let request = error.request else {
            return nil
        }
        call = .failure(request, error.timings)
        attempts = error.attempts
        source = nil
        isFromCache = false
    }

    private var timings: CallTimings? {
        switch call {
        case .response(let origin): origin.timings
        case .failure(_, let timings): timings
        }
    }

    var words: String {
        switch call {
        case .response(let origin): origin.summary.description
        case .failure(let summary, _): summary.description
        }
    }

    var origin: Duration? { timings?.origin }

    func spans(from offset: Duration) -> [RunReport.Span] {
        timings?.spans(from: offset) ?? []
    }
}
