// SPDX-License-Identifier: MIT

public import HTTPTypes

extension CallConfigurable {
    /// Declares header fields as credentials.
    ///
    /// Such fields keep users apart in the cache, are dropped when a redirect leads to another origin, and are masked
    /// in descriptions of the request. Fields that authentication is known to set, and fields whose names look secret,
    /// count without being declared.
    ///
    /// - Parameter names: The names of the fields, in addition to those that outer levels declare.
    /// - Returns: A changed copy.
    public consuming func credentialFields(_ names: HTTPField.Name...) -> Self {
        options[.credentialFields] = (options[.credentialFields] ?? []).union(names)
        return self
    }
}

extension CallOptionKey<Set<HTTPField.Name>> {
    static var credentialFields: Self {
        Self(
            "credential fields",
            join: { $0.union($1) },
            describe: { $0.map(\.rawName).sorted().joined(separator: ", ") }
        )
    }
}
