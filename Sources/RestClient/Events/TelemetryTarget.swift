// SPDX-License-Identifier: MIT

package import HTTPTypes
import JobGraphs

/// The server of a URL with the names of OpenTelemetry's semantic conventions for HTTP.
package struct TelemetryTarget: Hashable, Sendable {
    /// The host, without the brackets of an IPv6 address: `server.address`.
    package let address: String
    /// The port, or the default port of the scheme if the URL has none: `server.port`.
    package let port: Int

    /// Creates the target from a URL; `nil` if it has no host.
    package init?(url: String) {
        // A whole URL differs from this form only by a masked user name and password.
        guard let url = try? url.contains("@") ? HTTPURL(url) : HTTPURL(whole: url) else {
            return nil
        }
        address = url.bareHost
        port = url.effectivePort
    }
}

extension HTTPRequest.Method {
    /// The value of OpenTelemetry's `http.request.method` for methods that are not well known.
    package static let otherTelemetryName = "_OTHER"

    /// The method's name if it is well known (RFC 9110 and RFC 5789); other names would be unbounded.
    package var telemetryName: String? {
        switch self {
        case .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch: rawValue
        default: nil
        }
    }
}

extension FailureClass {
    /// The value of OpenTelemetry's `error.type` for an error: one of a small set, without data of the request.
    package static func telemetryType(of error: any Error) -> String {
        switch known(error) {
        case is CancellationError: "cancelled"
        case let error as RestClientError where error.isOfStatus:
            error.status.map { "\($0.code)" } ?? error.code.description
        case let error as RestClientError: error.code.description
        case let error as JobGraphError: error.code.description
        case let error: "\(type(of: error))"
        }
    }
}

extension OutgoingRequest {
    package var maskedURL: String { Redaction.url(url) }
}
