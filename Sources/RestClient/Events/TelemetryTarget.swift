// SPDX-License-Identifier: MIT

package import HTTPTypes

/// The server of a URL as OpenTelemetry's semantic conventions for HTTP name it.
package struct TelemetryTarget: Hashable, Sendable {
    /// The host, without the brackets of an IPv6 address: `server.address`.
    package let address: String

    /// The port, that of the scheme when the URL names none: `server.port`.
    package let port: Int

    /// Takes the server out of a URL; `nil` when it names none.
    ///
    /// - Parameter url: An absolute URL; its user name and password may be masked.
    package init?(url: String) {
        // User name and password, masked, are all that a whole URL may hold besides.
        guard let url = try? url.contains("@") ? HTTPURL(url) : HTTPURL(whole: url) else {
            return nil
        }
        address = url.bareHost
        port = url.effectivePort
    }
}

extension HTTPRequest.Method {
    /// The value of OpenTelemetry's `http.request.method` for all methods but the well-known ones.
    package static let otherTelemetryName = "_OTHER"

    /// The method's name if it is well known (RFC 9110 and RFC 5789): others would make names without end.
    package var telemetryName: String? {
        switch self {
        case .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch: rawValue
        default: nil
        }
    }
}

extension FailureClass {
    /// The value of OpenTelemetry's `error.type` for an error: few of them, and none with data of a request.
    ///
    /// - Parameter error: What an attempt or a call ended with.
    /// - Returns: The status when the server responded, else the code of the error or the name of its type.
    package static func telemetryType(of error: any Error) -> String {
        switch error {
        case is CancellationError: "cancelled"
        case let error as RestClientError: error.status.map { "\($0.code)" } ?? error.code.description
        default: "\(type(of: error))"
        }
    }
}

extension OutgoingRequest {
    /// The URL with secrets masked.
    package var maskedURL: String { Redaction.url(url) }
}
