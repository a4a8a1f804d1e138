// SPDX-License-Identifier: MIT

import HTTPTypes

extension CallConfigurable {
    /// Sets the policy for redirects; at most ten are followed if no level sets it.
    ///
    /// - Parameter policy: The policy.
    /// - Returns: A changed copy.
    public consuming func redirects(_ policy: RedirectPolicy) -> Self {
        option(.redirects, policy)
    }
}

extension CallOptionKey<RedirectPolicy> {
    static var redirects: Self {
        Self("redirects", decidesResponse: true, comparison: .byValue) { $0.description }
    }
}

extension CallOptionKey<Bool> {
    /// True if the call's redirects to another server are refused, because its body is a secret.
    static var redirectsWithinServer: Self {
        Self("redirects within the server", decidesResponse: true, comparison: .byValue) { $0 ? "only" : "any" }
    }
}

extension CallPolicy {
    var redirects: RedirectPolicy { options[.redirects] ?? .follow }

    var redirectsWithinServer: Bool { options[.redirectsWithinServer] ?? false }

    /// Returns the header fields that a request keeps on its way to another server: what means the same to every
    /// server, and what is named for any origin, but never the token, declared credentials and `Host`.
    func fieldsLeavingServer(
        _ headers: HTTPFields,
        of method: HTTPRequest.Method,
        isEncrypted: Bool
    ) -> HTTPFields {
        let free = isEncrypted ? options[.fieldsForAnyOrigin] ?? [] : []
        var leaving = headers
        for name in Set(headers.map(\.name)) {
            let isBound = name == tokenField || name.canonicalName == "host"
            let isKept =
                free.contains(name)
                || (Credentials.describesMessage(name, of: method)
                    && !Credentials.contain(name, declared: credentialFields))
            if isBound || !isKept {
                leaving[name] = nil
            }
        }
        if !leaving.contains(.userAgent), headers.contains(.userAgent), !credentialFields.contains(.userAgent) {
            leaving[.userAgent] = commonUserAgent(of: headers)
        }
        return leaving
    }

    /// Returns the `User-Agent` of some fields if it is not that of a server or an API, otherwise the manager's.
    private func commonUserAgent(of headers: HTTPFields) -> String? {
        let parts = options.contributions(to: .headers).filter { $0.value.contains(.userAgent) }
        guard let level = parts.last?.level, level == .server || level == .api else {
            return headers[.userAgent]
        }
        let outer = parts.last { $0.level <= .manager }?.value.fields[.userAgent] ?? TransportRequest.userAgent
        return outer.isEmpty ? nil : outer
    }
}

extension CallContext {
    /// Returns true if the URL of one of the call's requests has the origin for which the program made the call.
    func hasOwnOrigin(_ url: String) -> Bool {
        guard !policy.isGiven else {
            return false
        }
        guard url != self.url else {
            return true
        }
        return (try? HTTPURL(sent: url).origin) == (try? HTTPURL(sent: self.url).origin)
    }

    /// Returns true if a URL of one of the call's requests, to which redirects may have led, belongs to the server for
    /// which the call was made, so that it may have what belongs to that server.
    func isHome(_ url: String) -> Bool {
        guard url != self.url else {
            return true
        }
        guard let target = try? HTTPURL(sent: url), let own = try? HTTPURL(sent: self.url) else {
            return false
        }
        return target.hasOwner(of: own, among: policy.addresses)
    }

    /// Returns true if a field of the call may go to the URL of one of its requests, to which redirects may have led:
    /// no credential may if that belongs to another server.
    package func mayCarry(_ name: HTTPField.Name, to url: String) -> Bool {
        let isEncrypted = !facts.request.redirects.contains(where: \.leavesEncryption)
        return (isEncrypted && isHome(url))
            || !policy.fieldsLeavingServer([name: ""], of: method, isEncrypted: isEncrypted).isEmpty
    }
}
