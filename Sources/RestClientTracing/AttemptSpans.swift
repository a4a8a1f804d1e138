// SPDX-License-Identifier: MIT

#if AsyncHTTPClient || Tracing

import HTTPTypes
import RestClient
import Tracing

/// Sends each attempt within a span of the client kind, and propagates its context to the server.
struct AttemptSpans: Interceptor {
    let tracer: any Tracer

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let summary = request.call.summary
        let name = TelemetryNames.name(method: request.method, template: summary.template)
        let span = TracerSpan(tracer.startAnySpan(name, ofKind: .client))
        var request = request
        describe(request, summary, in: span)
        tracer.inject(span.context, into: &request.headers, using: HeaderFieldInjector())
        do {
            let outgoing = request
            let response = try await span.surround { try await next(outgoing) }
            span.set("http.response.status_code", response.status.code)
            if let version = response.httpVersion {
                span.set("network.protocol.version", String(version.rawValue.dropFirst("HTTP/".count)))
            }
            span.end(failure: response.status.code >= 400 ? "\(response.status.code)" : nil)
            return response
        } catch {
            span.end(failure: FailureClass.telemetryType(of: error))
            throw error
        }
    }

    private func describe(_ request: OutgoingRequest, _ summary: RequestSummary, in span: TracerSpan) {
        span.set(method: request.method)
        span.set("url.full", request.maskedURL)
        span.set("url.template", summary.template)
        span.set(server: request.url)
        let attempts = request.call.attempts
        span.set("http.request.resend_count", attempts > 1 ? attempts - 1 : nil)
    }
}

#endif
