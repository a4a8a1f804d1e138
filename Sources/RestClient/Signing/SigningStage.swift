// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

final class SigningTerms: PolicyPart {
    let signer: any RequestSigner

    private init(_ signer: any RequestSigner) {
        self.signer = signer
    }

    /// Returns the terms of a call; `nil` if it is not signed, as when the manager has a signer and the call goes to no
    /// registered server, or another server chose the target.
    static func of(_ options: CallOptions, hasServer: Bool, isGiven: Bool) -> SigningTerms? {
        guard let level = options.level(of: .signer), hasServer || (level > .manager && !isGiven) else {
            return nil
        }
        return (options[.signer] ?? nil).map { SigningTerms($0) }
    }

    /// Separates responses to requests that different keys have signed.
    var partition: String { "signed as \(signer.identity)" }

    var distinction: String? { partition }
}

/// Signs requests to the server of the call.
///
/// It comes behind all that changes a request, and behind the redirects, so that each request has a signature of its
/// own and none leaves the server.
struct SigningStage: Interceptor {
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        guard let terms: SigningTerms = call.policy.part(), call.isHome(request.url),
            !call.facts.request.redirects.contains(where: \.leavesEncryption)
        else {
            return try await next(request)
        }
        return try await next(try await signed(request, by: terms.signer))
    }

    private func signed(_ request: OutgoingRequest, by signer: any RequestSigner) async throws -> OutgoingRequest {
        do {
            let signature = try await request.call.waits { [clock] in
                try await clock.limit(to: request.call) { try await signer.sign(request) }
            }
            return try request.adding(signature)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Self.failure(error)
        }
    }

    /// Returns the error of a request that could not be signed, and that was not sent.
    private static func failure(_ error: any Error) -> RestClientError {
        var failure =
            error as? RestClientError
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
    fileprivate func adding(_ signature: RequestSignature) throws(RestClientError) -> OutgoingRequest {
        var request = self
        for field in signature.headers {
            if let defect = HeaderCheck.defect(in: field.value, of: field.name) {
                throw defect
            }
        }
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
