// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

typealias OtherTransport = AsyncHTTPClientTransport

#else

import HTTPTypes
import NIOSSL
import RestEssentials

/// Refuses what ``DirectTransport`` does not do, because the package was built without the trait `AsyncHTTPClient`.
struct OtherTransport: CancellingTransport {
    static let shared = OtherTransport()

    init() {}

    init(configuration: DirectTransport.Configuration, tls: TLSConfiguration, identity: ClientIdentity?) {}

    func send(_ request: TransportRequest) async throws -> RawResponse {
        throw refusal(of: request)
    }

    private func refusal(of request: TransportRequest) -> RestClientError {
        guard let need = need(of: request) else {
            return RestClientError(.invalidURL, "'\(Redaction.url(request.url))' is not a valid request URL")
        }
        return RestClientError(
            .transportFailed,
            "\(need) needs the trait 'AsyncHTTPClient' of swift-rest-client, without which the package was built; add "
                + "it to the traits of the dependency"
        )
    }

    /// Returns what the direct transport does not do for a request; `nil` if that is only its URL.
    private func need(of request: TransportRequest) -> String? {
        if request.method == .connect {
            return "a tunnel (CONNECT)"
        }
        return request.headers.contains(.upgrade) ? "a change of the protocol (Upgrade)" : nil
    }
}

extension TransportFailure {
    static func errorOfOtherTransport(_ error: any Error, host: String, url: String) -> RestClientError? {
        nil
    }

    static func otherTransportPrecedesSending(_ error: any Error) -> Bool {
        false
    }
}

#endif
