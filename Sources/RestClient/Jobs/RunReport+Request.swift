// SPDX-License-Identifier: MIT

public import JobGraphs
import RestEssentials

// The phases and sources that requests add to a report.

extension RunReport.Phase {
    /// The host lookup, the connection, and the TLS handshake.
    public static let connecting = Self(rawValue: "connecting")
    /// Waiting for a token to be obtained.
    public static let authenticating = Self(rawValue: "authenticating")
    /// Waiting for a connection that other requests use.
    public static let blocked = Self(rawValue: "blocked")
    /// Sending the request.
    public static let sending = Self(rawValue: "sending")
    /// Waiting for the first byte of the response.
    public static let waiting = Self(rawValue: "waiting")
    /// Receiving the response.
    public static let receiving = Self(rawValue: "receiving")
}

extension RunReport.Source {
    /// The server.
    public static let network = Self(rawValue: "network")
    /// The cache.
    public static let cache = Self(rawValue: "cache")
    /// The cache, after the server confirmed the response.
    public static let revalidatedCache = Self(rawValue: "revalidatedCache")
    /// A dummy responder.
    public static let dummy = Self(rawValue: "dummy")
    /// A result handler that turned a failure into a model.
    public static let resultHandler = Self(rawValue: "resultHandler")
    /// A value that replaced a failure.
    public static let fallback = Self(rawValue: "fallback")

    /// The source of a response, without its age.
    init(_ source: ResponseSource) {
        switch source {
        case .network: self = .network
        case .cache: self = .cache
        case .revalidatedCache: self = .revalidatedCache
        case .dummy: self = .dummy
        case .resultHandler: self = .resultHandler
        case .fallback: self = .fallback
        }
    }
}

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
    var label: String { callIdentifier ?? api ?? template ?? url ?? "request" }
}
