// SPDX-License-Identifier: MIT

import HTTPTypes

extension CallConfigurable {
    /// Sets what happens when the server responds with a redirect; at most ten are followed when no level sets it.
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
        Self("redirects", decidesResponse: true) { policy in
            switch policy.mode {
            case .follow(let limit): "follow \(limit)"
            case .manual: "manual"
            case .refuse: "refuse"
            }
        }
    }
}

extension CallPolicy {
    /// The handling of redirects.
    var redirects: RedirectPolicy { options[.redirects] ?? .follow }

    /// Returns true if a field may follow a redirect to another origin: credentials may not, nor may what belongs to a
    /// server.
    func crossesOrigins(_ name: HTTPField.Name) -> Bool {
        guard name != tokenField, !Credentials.contain(name, declared: credentialFields) else {
            return false
        }
        return !options.contributions(to: .headers).contains { $0.level == .server && $0.value.contains(name) }
    }
}
