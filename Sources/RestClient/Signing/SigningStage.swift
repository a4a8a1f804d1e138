// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

final class SigningTerms: PolicyPart {
    /// `nil` for a request that the signer does not sign.
    let signer: (any RequestSigner)?

    private init(_ signer: (any RequestSigner)?) {
        self.signer = signer
    }

    /// Returns the terms of a call; `nil` if no level sets a signer.
    ///
    /// The call is not signed if the manager has the signer and the call goes to no registered server, or if another
    /// server chose the target.
    static func of(_ options: CallOptions, hasServer: Bool, isGiven: Bool) -> SigningTerms? {
        guard let level = options.level(of: .signer), let signer = options[.signer] ?? nil else {
            return nil
        }
        return SigningTerms(hasServer || (level > .manager && !isGiven) ? signer : nil)
    }

    /// Separates responses to requests that different keys have signed.
    var partition: String? { signer.map { "signed as \($0.identity)" } }

    var distinction: String? { partition }

    var sentence: String? {
        signer.map { "Requests to the server are signed by \(type(of: $0)) as \($0.shownIdentity)." }
            ?? "The request is not signed, because it goes to no registered server, or without encryption."
    }
}

/// Signs requests to the server of the call.
///
/// It comes behind all that changes a request, and behind the redirects, so that each request has a signature of its
/// own and none leaves the server.
struct SigningStage: Interceptor {
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let terms: SigningTerms? = request.call.policy.part()
        guard let signer = terms?.signer else {
            return try await next(request)
        }
        // Whoever sends the call away may also name what it comes back to.
        guard request.call.isHome(request.url),
            !request.call.facts.request.redirects.contains(where: { $0.leavesEncryption || $0.leavesServer })
        else {
            request.call.tell("the request to another server was not signed")
            return try await next(request)
        }
        return try await next(try await signed(request, by: signer))
    }

    private func signed(_ request: OutgoingRequest, by signer: any RequestSigner) async throws -> OutgoingRequest {
        let signature = try await request.call.waits { [clock] in
            try await clock.limit(to: request.call) {
                do {
                    return try await signer.sign(request)
                } catch let error as CancellationError {
                    throw error
                } catch {
                    throw Self.failure(error)
                }
            }
        }
        return request.adding(signature)
    }

    /// Returns the error of a request that could not be signed, and that was not sent.
    ///
    /// The error of another call, such as one for a key, is not taken for that of this one.
    private static func failure(_ error: any Error) -> RestClientError {
        let own: Set<RestClientError.Code> = [.signingFailed, .bodyUnreadable, .bodyChanged]
        var failure =
            (error as? RestClientError).flatMap { own.contains($0.code) ? $0 : nil }
            ?? RestClientError(
                .signingFailed,
                "the request could not be signed, and was not sent",
                underlying: error
            )
        failure.isUnsent = true
        return failure
    }
}

extension OutgoingRequest {
    fileprivate func adding(_ signature: RequestSignature) -> OutgoingRequest {
        var request = self
        for name in Set(signature.headers.map(\.name)) {
            request.headers[fields: name] = signature.headers[fields: name]
        }
        if !signature.query.isEmpty {
            let items = signature.query.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            let url = String(HTTPURL.withoutFragment(url))
            let mark = HTTPURL.query(of: url).map { $0.isEmpty ? "" : "&" } ?? "?"
            request.url = "\(url)\(mark)\(items.joined(separator: "&"))"
        }
        return request
    }
}
