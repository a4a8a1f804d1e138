// SPDX-License-Identifier: MIT

#if AsyncHTTPClient || Tracing

import HTTPTypes
import RestClient

/// The names of spans, by OpenTelemetry's semantic conventions for HTTP clients.
enum TelemetryNames {
    /// The URL would produce a separate name for each resource, and so would a method that is not well known.
    static func name(method: HTTPRequest.Method?, template: String?) -> String {
        ([method?.telemetryName ?? "HTTP"] + (template.map { [$0] } ?? [])).joined(separator: " ")
    }
}

#endif
