// SPDX-License-Identifier: MIT

import HTTPWire
import NIOCore
import NIOPosix
import NIOSSL
import RestEssentials

package enum TransportFailure {
    package static func bodyOverLimit(_ limit: Int) -> RestClientError {
        RestClientError(
            .responseTooLarge,
            "the body of the response has more than the \(limit) bytes allowed; raise it with .limits(body:)"
        )
    }

    /// Returns the error of a request with an `Upgrade` field of its own.
    static func errorOfUpgrade(
        _ error: any Error,
        url: String,
        by choice: RequestWay.Choice?
    ) -> RestClientError {
        guard case WireFault.malformed(.unexpectedUpgrade) = error else {
            return self.error(for: error, url: url, by: choice)
        }
        return RestClientError(
            .transportFailed,
            "\(host(of: url)) changed the protocol (101), as the Upgrade field of the request asked it to, and a call "
                + "reads responses of HTTP only; remove the field, or open a WebSocket",
            underlying: error
        )
    }

    private static func headerOverLimit(_ host: String, underlying: any Error) -> RestClientError {
        RestClientError(
            .headerTooLarge,
            "the header of the response of \(host) is longer, or has more fields, than the transport reads",
            underlying: underlying
        )
    }

    static func host(of url: String) -> String { (try? HTTPURL(url))?.authority ?? "the server" }

    /// The system's codes for unreachable hosts and ports; addresses are connected to without a name lookup.
    private static let unreachable: [CInt] = [
        ECONNREFUSED, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, EACCES, EPERM,
    ]

    package static func error(for error: any Error, url: String) -> RestClientError {
        self.error(for: error, url: url, by: nil)
    }

    /// Returns the error of an exchange whose way somebody chose.
    static func error(for error: any Error, url: String, by choice: RequestWay.Choice?) -> RestClientError {
        var failure =
            if let fault = error as? ProxyFault {
                proxyFailed(fault, choice?.source)
            } else {
                translation(of: error, host: host(of: url, by: choice), url: url)
            }
        if precedesSending(error) {
            failure.isUnsent = true
        } else if error is IOError {
            // The same code of the system may end a connection that was made.
            failure.isUnsent = false
        }
        return failure
    }

    static func errorAfterHead(_ error: any Error, url: String) -> RestClientError {
        var failure = self.error(for: error, url: url)
        failure.isUnsent = false
        return failure
    }

    /// Returns true if the error ends a connection before it is ready, so that nothing was sent over it.
    static func precedesSending(_ error: any Error) -> Bool {
        switch error {
        case is ProxyFault, is WayFault, is LookupFault, is NIOConnectionError, is CertificateDefect, is PinMismatch,
            ChannelError.connectTimeout, WireFault.connectTimeout, WireFault.noHTTP2, NIOSSLError.handshakeFailed,
            NIOSSLError.unableToValidateCertificate:
            true
        case let error as NIOSSLExtraError:
            error == .failedToValidateHostname
        case let error as IOError:
            error.errnoCode == ECONNREFUSED
        default:
            false
        }
    }

    /// Returns the host of a URL, with what is between if that may be the reason of a failure.
    private static func host(of url: String, by choice: RequestWay.Choice?) -> String {
        let host = host(of: url)
        return switch choice?.way {
        case .forwarding(let proxy)?: "\(host), through the proxy \(proxy),"
        case .socket(let path)?: "\(host), at the socket '\(path)',"
        case .host(let place, let port)?: "\(host), at \(place) and port \(port),"
        case .names?, .tunnel?, nil: host
        }
    }

    private static func proxyFailed(_ fault: ProxyFault, _ source: String?) -> RestClientError {
        var reason = ""
        switch fault.reason {
        case .unreachable(let error as NIOConnectionError)
        where error.connectionErrors.isEmpty && (error.dnsAError != nil || error.dnsAAAAError != nil):
            reason = ": its name does not resolve"
        case .unreachable(let error):
            reason = SystemReason.text(of: error).map { ": \($0)" } ?? ""
        case .insecure(let error):
            reason = ": \(error is CertificateDefect ? "\(error)" : TLSReason.text(of: error))"
        default:
            break
        }
        let chosen = source.map { ", which \($0) names," } ?? ""
        var failure = RestClientError(
            .proxyFailed,
            "the proxy \(fault.proxy)\(chosen) \(fault)\(reason)",
            underlying: fault
        )
        failure.isUnsent = true
        return failure
    }

    private static func notFound(_ fault: LookupFault, host: String) -> RestClientError {
        let reason =
            fault.text.map { ": '\($0)' is not an address" }
            ?? (fault.underlying == nil ? ": the lookup has no address of it" : "")
        return RestClientError(.hostNotFound, "the host name '\(host)' does not resolve\(reason)", underlying: fault)
    }

    private static func translation(of error: any Error, host: String, url: String) -> RestClientError {
        func failure(_ code: RestClientError.Code, _ message: String) -> RestClientError {
            RestClientError(code, message, underlying: error)
        }
        switch error {
        case let error as RestClientError:
            return error
        case let error as WireFault:
            return self.error(for: error, host: host)
        case let fault as WayFault:
            return unreached(fault, host: host, url: url)
        case let fault as LookupFault:
            return notFound(fault, host: host)
        case let error as NIOConnectionError:
            let isUnresolved = error.connectionErrors.isEmpty && (error.dnsAError != nil || error.dnsAAAAError != nil)
            return isUnresolved
                ? failure(.hostNotFound, "the host name '\(host)' does not resolve")
                : notConnected(host, underlying: error)
        case is CertificateDefect, is PinMismatch:
            return failure(.tlsFailed, "\(host) is not trusted: \(error)")
        case NIOSSLError.uncleanShutdown:
            return connectionCut(host, underlying: error)
        case NIOSSLError.noSuchFilesystemObject:
            return failure(
                .tlsFailed,
                "there is no file of certificate authorities at the path in the variable SSL_CERT_FILE"
            )
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            return failure(.tlsFailed, "TLS with \(host) failed: \(TLSReason.text(of: error))")
        case ChannelError.connectTimeout:
            return notConnectedInTime(host, underlying: error)
        case let error as IOError where unreachable.contains(error.errnoCode):
            return notConnected(host, underlying: error)
        case is ChannelError, is IOError:
            return connectionCut(host, underlying: error)
        default:
            return unnamed(error, host: host)
        }
    }

    /// Returns the error of an origin that could not be reached at its place.
    private static func unreached(_ fault: WayFault, host: String, url: String) -> RestClientError {
        guard case .socket = fault.way, let error = fault.underlying as? IOError else {
            return translation(of: fault.underlying, host: host, url: url)
        }
        let reason =
            switch error.errnoCode {
            case ENOENT, ENOTDIR: "there is no socket"
            case EACCES, EPERM: "this user may not connect to it"
            case ECONNREFUSED, ENOTSOCK: "nothing listens there, or it is not a socket"
            case EPROTOTYPE: "it is a socket of another kind"
            default: SystemReason.text(of: error) ?? "the system refused it"
            }
        return RestClientError(
            .connectionFailed,
            "no connection to \(host) could be made: \(reason)",
            underlying: error
        )
    }

    private static func error(for error: WireFault, host: String) -> RestClientError {
        func failure(_ code: RestClientError.Code, _ message: String) -> RestClientError {
            RestClientError(code, message, underlying: error)
        }
        return switch error {
        case .malformed(.headTooLarge):
            headerOverLimit(host, underlying: error)
        case .malformed(let defect):
            failure(.malformedResponse, "the response of \(host) is not valid HTTP: \(defect)")
        case .bodyOverLimit:
            // The transport, which knows the limit, has its own words for it.
            unnamed(error, host: host)
        case .cut:
            failure(.connectionClosed, "\(host) cut the connection before its response ended")
        case .stale(let underlying):
            RestClientError(
                .connectionClosed,
                "\(host) cut the connection before it responded",
                underlying: underlying ?? error
            )
        case .unprocessed:
            RestClientError(
                .connectionClosed,
                "\(host) closed the connection without processing the request",
                underlying: error
            )
        case .reset:
            RestClientError(.connectionClosed, "\(host) reset the stream before its response ended", underlying: error)
        case .brokenConnection(let defect):
            RestClientError(
                .malformedResponse,
                "the connection of \(host) is not valid HTTP/2: \(defect)",
                underlying: error
            )
        case .noHTTP2:
            RestClientError(
                .connectionFailed,
                "\(host) does not offer HTTP/2, which the transport requires; see requiresHTTP2 of its configuration",
                underlying: error
            )
        case .deadlineExceeded:
            failure(.timeout, "\(host) did not respond in time")
        case .connectTimeout:
            notConnectedInTime(host, underlying: error)
        case .invalidRequest(let reason):
            failure(.transportFailed, "the request cannot be sent: \(reason)")
        case .closed:
            failure(.transportClosed, "the transport was shut down")
        }
    }

    static func notConnected(_ host: String, underlying: any Error) -> RestClientError {
        let reason = SystemReason.text(of: underlying).map { ": \($0)" } ?? ""
        let message = "no connection to \(host) could be made\(reason)"
        return RestClientError(.connectionFailed, message, underlying: underlying)
    }

    private static func notConnectedInTime(_ host: String, underlying: any Error) -> RestClientError {
        RestClientError(
            .timeout,
            "no connection to \(host) was made in time; see whether it is up, or allow more with the connectTimeout of "
                + "the transport's configuration",
            underlying: underlying
        )
    }

    private static func connectionCut(_ host: String, underlying: any Error) -> RestClientError {
        let reason = SystemReason.text(of: underlying).map { ": \($0)" } ?? ""
        return RestClientError(.connectionClosed, "the connection to \(host) was cut\(reason)", underlying: underlying)
    }

    static func unnamed(_ error: any Error, host: String) -> RestClientError {
        RestClientError(.transportFailed, "the exchange with \(host) failed", underlying: error)
    }
}

/// Says in words which check of a TLS handshake failed, as far as the errors of BoringSSL tell: pure.
enum TLSReason {
    /// The words for names in the errors of BoringSSL, in the order in which they are looked for.
    private static let words: [(names: [String], text: String)] = [
        (
            ["CERTIFICATE_VERIFY_FAILED"],
            "its certificate has expired, is not valid yet, is not for servers, or comes from no authority that is "
                + "trusted here"
        ),
        (
            ["UNSUPPORTED_PROTOCOL", "PROTOCOL_VERSION", "NO_PROTOCOLS_AVAILABLE"],
            "it speaks no version of TLS from 1.2 on"
        ),
        (["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST"], "it does not speak TLS on this port"),
        (
            ["CERTIFICATE_REQUIRED", "ALERT_UNKNOWN_CA", "BAD_CERTIFICATE"],
            "it requires a client certificate that it trusts"
        ),
        (["HANDSHAKE_FAILURE"], "it accepts none of the offered ciphers"),
        (["EOF during handshake"], "it closed the connection during the handshake"),
        (["NO_APPLICATION_PROTOCOL"], "it speaks none of the offered versions of HTTP"),
    ]

    static func text(of error: any Error) -> String {
        switch error as? NIOSSLExtraError {
        case .failedToValidateHostname?, .serverHostnameImpossibleToMatch?: "its certificate is for other hosts"
        default: text(of: "\(error)")
        }
    }

    static func text(of description: String) -> String {
        words.first { $0.names.contains { description.contains($0) } }?.text
            ?? "see whether its certificate is trusted here"
    }
}
