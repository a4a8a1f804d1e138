// SPDX-License-Identifier: MIT

public import JobGraphs
import RestEssentials

extension Response {
    /// The call as a value that can be stored, and drawn as a timeline: a report with one node.
    ///
    /// It is made on access.
    public var report: RunReport {
        let span = RestClientError.Span(id: callID, startedAt: details.startedAt, duration: duration)
        let status: RunReport.Status = source.isCache ? .fromCache : .success
        return RunReport(span, of: request, RequestDetail(details), status: status)
    }
}

extension RestClientError {
    /// The failed call as a value that can be stored, and drawn as a timeline; `nil` when the error belongs to no call.
    ///
    /// It is made on access.
    public var report: RunReport? {
        guard let span, let request, let detail = RequestDetail(self) else {
            return nil
        }
        return RunReport(span, of: request, detail, status: .failure, error: Redaction.error(self))
    }
}

extension RunReport {
    fileprivate init(
        _ span: RestClientError.Span,
        of request: RequestSummary,
        _ detail: RequestDetail,
        status: Status,
        error: String? = nil
    ) {
        let node = Node(
            name: request.label,
            kind: .request,
            status: status,
            attempts: detail.attempts,
            error: error,
            detail: detail.words,
            source: detail.source,
            queued: .zero,
            started: .zero,
            ended: span.duration,
            spans: detail.spans(from: .zero).inOrder(from: .zero, to: span.duration)
        )
        self.init(
            name: request.label,
            id: span.id.description,
            startedAt: span.startedAt,
            duration: span.duration,
            outcome: status.isSuccess ? .success : .failure,
            nodes: [node]
        )
    }
}

extension RequestSummary {
    /// The name of the request in reports of groups and calls.
    var label: String { callIdentifier ?? api ?? template ?? url ?? "request" }
}
