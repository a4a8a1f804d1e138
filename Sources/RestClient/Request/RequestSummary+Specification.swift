// SPDX-License-Identifier: MIT

extension RequestSummary {
    /// Describes a request whose target is not resolved.
    init(of specification: RequestSpecification) {
        let target = specification.target
        var url: String?
        var server: ServerAlias?
        switch target.server {
        case .defaultServer: break
        case .key(let key): server = ServerAlias(rawValue: AliasText.shown(key.rawValue))
        case .address(let address): url = Redaction.url(address)
        case .url(let address): url = Redaction.url(address)
        }
        self.init(
            method: specification.method,
            url: url,
            api: target.api.map(AliasText.shown),
            server: server,
            template: target.endpoint.map { Redaction.url($0.source) },
            callIdentifier: specification.options[.callIdentifier],
            isMuted: specification.options[.isMuted] ?? false
        )
    }
}
