// SPDX-License-Identifier: MIT

import HTTPTypes

/// The field and format of a token, and its source.
final class AuthenticationScheme: CallPart {
    var heedsCall: Bool { true }
    let field: HTTPField.Name
    let prefix: String
    let source: TokenSource

    init(field: HTTPField.Name, prefix: String, source: TokenSource) {
        self.field = field
        self.prefix = prefix
        self.source = source
    }

    /// Returns a request that carries a token.
    ///
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/invalidHeader`` if the token
    ///   contains characters that would corrupt the field.
    func signed(_ request: OutgoingRequest, with grant: TokenGrant) throws(RestClientError) -> OutgoingRequest {
        let value = prefix + grant.token.value
        if let defect = HeaderCheck.defect(in: value, of: field) {
            throw defect
        }
        var request = request
        request.headers[field] = value
        let credential = credential(grant)
        request.call.learn { $0.sent = credential }
        return request
    }

    /// Returns a request with the latest token, even if that has expired; unchanged if there is none.
    func current(_ request: OutgoingRequest) throws(RestClientError) -> OutgoingRequest {
        guard let latest = source.latest else {
            return request
        }
        identify(request.call, by: latest)
        return try signed(request, with: latest)
    }

    /// Sets the token that identifies a call to the cache.
    func identify(_ call: CallContext, by grant: TokenGrant) {
        let credential = credential(grant)
        call.learn { $0.identity = credential }
    }

    private func credential(_ grant: TokenGrant) -> SentCredential {
        SentCredential(
            field: field,
            value: prefix + grant.token.value,
            user: grant.token.user,
            session: grant.session
        )
    }

    /// Returns true if a response rejects the token; false if a redirect led to another origin, which never received
    /// it.
    func isRefusal(_ response: RawResponse, of request: OutgoingRequest) -> Bool {
        guard source.refusals.contains(response.status) else {
            return false
        }
        guard let url = response.url, url != request.url else {
            return true
        }
        guard let asked = try? HTTPURL(request.url), let responding = try? HTTPURL(url) else {
            return false
        }
        return responding.hasOrigin(of: asked)
    }
}

extension AuthenticationScheme {
    /// Returns the authentication of a call: that of the innermost level, unless a level further inside sets its field.
    ///
    /// The manager's own applies to registered servers only, so that its token is not sent to an arbitrary address. The
    /// calls of a refresh carry no token of the source that is being refreshed.
    static func of(
        _ options: CallOptions,
        hasServer: Bool,
        refreshing: [TokenSource]
    ) -> AuthenticationScheme? {
        guard let level = options.level(of: .authentication), hasServer || level > .manager,
            let scheme = options[.authentication]?.scheme
        else {
            return nil
        }
        let isOverridden = options.contributions(to: .headers)
            .contains { $0.level > level && $0.value.contains(scheme.field) }
        return isOverridden || refreshing.contains { $0 === scheme.source } ? nil : scheme
    }
}

extension CallPolicy {
    /// The authentication of the call; `nil` if it sends no token from a source.
    var authentication: AuthenticationScheme? { part() }
}
