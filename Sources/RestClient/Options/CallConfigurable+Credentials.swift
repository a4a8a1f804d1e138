// SPDX-License-Identifier: MIT

public import HTTPTypes

extension CallConfigurable {
    /// Declares header fields as credentials.
    ///
    /// Such fields separate users in the cache, are dropped when a redirect leads to another server, and are masked in
    /// descriptions of the request. Fields that authentication is known to set, and fields whose names look secret,
    /// count without being declared.
    ///
    /// - Parameter names: The names of the fields, in addition to those that outer levels declare.
    /// - Returns: A changed copy.
    public consuming func credentialFields(_ names: HTTPField.Name...) -> Self {
        options[.credentialFields] = (options[.credentialFields] ?? []).union(names)
        return self
    }

    /// Allows header fields to be sent to any origin, although they would otherwise be withheld.
    ///
    /// Credentials that the manager or an environment sets are sent to registered servers only. A redirect or a next
    /// page at another server, which is another origin or a path beside that of the server's address, gets only the
    /// fields that mean the same to every server, such as `Accept`, `Content-Type` and `Range`. List here the fields
    /// that any origin may receive:
    ///
    /// ```swift
    /// manager.options = manager.options.header(sessionID, id).fieldsForAnyOrigin(sessionID)
    /// ```
    ///
    /// They still separate users in the cache and are masked. They never follow a redirect or a listing from `https` to
    /// `http`, and the token of an ``Authentication`` follows no redirect to another server.
    ///
    /// - Parameter names: The names of the fields, in addition to those of outer levels.
    /// - Returns: A changed copy.
    public consuming func fieldsForAnyOrigin(_ names: HTTPField.Name...) -> Self {
        options[.fieldsForAnyOrigin] = (options[.fieldsForAnyOrigin] ?? []).union(names)
        return self
    }
}

extension CallOptionKey<Set<HTTPField.Name>> {
    static var credentialFields: Self { names("credential fields") }

    static var fieldsForAnyOrigin: Self { names("fields for any origin") }

    /// The credentials that a call does not send, because its target is not a registered server or leaves encryption.
    static var withheldFields: Self { names("withheld credentials") }

    private static func names(_ name: String) -> Self {
        Self(
            name,
            join: { $0.union($1) },
            describe: { $0.map(\.rawName).sorted().joined(separator: ", ") }
        )
    }
}
