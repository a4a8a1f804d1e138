// SPDX-License-Identifier: MIT

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
        Self("redirects") { policy in
            switch policy.mode {
            case .follow(let limit): "follow \(limit)"
            case .manual: "manual"
            case .refuse: "refuse"
            }
        }
    }
}
