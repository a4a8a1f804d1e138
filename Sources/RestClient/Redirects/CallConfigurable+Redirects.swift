// SPDX-License-Identifier: MIT

import HTTPTypes

extension CallConfigurable {
    /// Sets the policy for redirects; at most ten are followed if no level sets it.
    ///
    /// - Parameter policy: The policy.
    /// - Returns: A changed copy.
    public consuming func redirects(_ policy: RedirectPolicy) -> Self {
        options[.redirects] = policy
        return self
    }
}

extension CallOptionKey<RedirectPolicy> {
    static var redirects: Self {
        Self("redirects", decidesResponse: true, comparison: .byValue) { $0.description }
    }
}

extension CallOptionKey<Bool> {
    /// True if the call's redirects to another origin are refused, because its body is a secret.
    static var redirectsWithinOrigin: Self {
        Self("redirects within the origin", decidesResponse: true, comparison: .byValue) { $0 ? "only" : "any" }
    }
}

extension CallPolicy {
    /// The policy for redirects.
    var redirects: RedirectPolicy { options[.redirects] ?? .follow }

    /// True if redirects to another origin are refused, whatever the policy allows.
    var redirectsWithinOrigin: Bool { options[.redirectsWithinOrigin] ?? false }

    /// Returns the header fields that a redirect to another origin keeps.
    ///
    /// It drops credentials, and the fields that a server or an API sets, except those that describe the message
    /// itself. If such a field replaced one of the manager's, the manager's is sent.
    /// `Host` names the origin that the request leaves, so it is always dropped.
    ///
    /// - Parameters:
    ///   - headers: The fields of the redirected request.
    ///   - isEncrypted: False if the redirect leads from `https` to `http`.
    /// - Returns: The fields of the next request.
    func fieldsCrossingOrigins(_ headers: HTTPFields, isEncrypted: Bool) -> HTTPFields {
        let free = isEncrypted ? options[.fieldsForAnyOrigin] ?? [] : []
        let parts = options.contributions(to: .headers)
        var crossing = headers
        for name in Set(headers.map(\.name)) {
            if name == tokenField || name.canonicalName == "host" {
                crossing[name] = nil
            } else if free.contains(name) {
                continue
            } else if Credentials.contain(name, declared: credentialFields) {
                crossing[name] = nil
            } else if let level = parts.last(where: { $0.value.contains(name) })?.level,
                level == .server || level == .api, !Credentials.describesMessage(name)
            {
                crossing[name] = nil
                if let outer = parts.last(where: { $0.level <= .manager && $0.value.contains(name) })?.value.fields {
                    crossing.append(contentsOf: outer.filter { $0.name == name && !$0.value.isEmpty })
                } else if name == .userAgent {
                    crossing[name] = TransportRequest.userAgent
                }
            }
        }
        return crossing
    }
}

extension CallContext {
    /// Returns true if a field of the call may go to the URL of one of its requests, to which redirects may have led.
    ///
    /// - Parameters:
    ///   - name: The name of the field, which no level sets as a field of its own.
    ///   - url: The URL.
    /// - Returns: False if it is a credential, and the URL belongs to another origin.
    package func mayCarry(_ name: HTTPField.Name, to url: String) -> Bool {
        guard let target = try? HTTPURL(url), let own = try? HTTPURL(self.url) else {
            return false
        }
        let isEncrypted = !facts.redirects.contains(where: \.leavesEncryption)
        return (isEncrypted && target.hasOrigin(of: own))
            || !policy.fieldsCrossingOrigins([name: ""], isEncrypted: isEncrypted).isEmpty
    }
}
