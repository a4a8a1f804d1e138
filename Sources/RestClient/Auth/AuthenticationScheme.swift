// SPDX-License-Identifier: MIT

import HTTPTypes

final class AuthenticationScheme: PolicyPart {
    let field: HTTPField.Name
    let prefix: String
    let source: TokenSource

    init(field: HTTPField.Name, prefix: String, source: TokenSource) {
        self.field = field
        self.prefix = prefix
        self.source = source
    }

    func inside(_ isolation: CallIsolation?) -> AuthenticationScheme {
        isolation == nil
            ? self : AuthenticationScheme(field: field, prefix: prefix, source: source.inside(isolation))
    }

    func signed(_ request: OutgoingRequest, with grant: TokenGrant) throws(RestClientError) -> OutgoingRequest {
        let value = prefix + grant.token.value
        if let defect = HeaderCheck.defect(in: value, of: field) {
            throw defect
        }
        var request = request
        request.headers[field] = value
        let credential = credential(grant)
        request.call.learn { $0.request.sent = credential }
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

    func identify(_ call: CallContext, by grant: TokenGrant) {
        let credential = credential(grant)
        call.learn { $0.request.identity = credential }
    }

    private func credential(_ grant: TokenGrant) -> SentCredential {
        SentCredential(
            field: field,
            value: prefix + grant.token.value,
            user: grant.token.user,
            session: grant.session
        )
    }

    /// Returns where the value of a field comes from, if it is the token's.
    func origin(of field: HTTPField.Name, in options: CallOptions) -> (text: String, level: CallOptions.Level?)? {
        field == self.field ? ("the token source", options.level(of: .authentication)) : nil
    }
}

// MARK: - The server's judgement

extension AuthenticationScheme {
    /// Returns true if a response rejects the token; false if a redirect led to another server, which never received
    /// it.
    func isRefusal(_ response: RawResponse, of request: OutgoingRequest) -> Bool {
        source.refusals.contains(response.status) && Self.isFromServer(of: request, response) == true
    }

    func note(_ response: RawResponse, to grant: TokenGrant, of request: OutgoingRequest) {
        if !grant.isAccepted, Self.isAcceptance(response, of: request) {
            source.accept(grant.token)
        }
    }

    /// Returns true if a response that is not a refusal shows that the server accepted the token.
    ///
    /// A success and a redirect to another server do. Of the failures, those do that concern the resource, its state or
    /// the content, which a server examines once it knows the caller; any other may come from a gateway that never saw
    /// the token (400, 405, 429, 5xx), or be about the token itself (403).
    private static func isAcceptance(_ response: RawResponse, of request: OutgoingRequest) -> Bool {
        switch isFromServer(of: request, response) {
        case nil: false
        case false?: true
        case true?:
            switch response.status.code {
            case ..<400, 404, 409, 410, 412, 416, 422, 423, 424, 428: true
            default: false
            }
        }
    }

    /// Returns true if a response comes from the server of the request, false if it comes from another one to which a
    /// redirect led; `nil` if that cannot be said.
    private static func isFromServer(of request: OutgoingRequest, _ response: RawResponse) -> Bool? {
        guard let url = response.url, url != request.url else {
            return true
        }
        guard let asked = try? HTTPURL(sent: request.url), let responding = try? HTTPURL(sent: url) else {
            return nil
        }
        return responding.hasOwner(of: asked, among: request.call.policy.addresses)
    }

    /// Returns the authentication of a call: that of the innermost level, unless a level further inside sets its field;
    /// the manager's own for registered servers only, and none of a source for which the call refreshes.
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
    var authentication: AuthenticationScheme? { part() }
}
