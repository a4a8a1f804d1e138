// SPDX-License-Identifier: MIT

public import HTTPTypes

/// An API key: a credential of the program rather than of a user, as a header field or an item of the query.
///
/// ```swift
/// manager.servers[.weather] = Server("https://api.example.com/2.5").apiKey(.query("appid", key))
/// manager.servers[.maps] = Server("https://maps.example.com").apiKey(.header(HTTPField.Name("X-Maps")!, key))
/// ```
public struct APIKey: Sendable {
    enum Place: Sendable {
        case header(HTTPField.Name)
        case query(String)
    }

    let place: Place
    let value: String

    /// Returns a key in a header field.
    ///
    /// - Parameters:
    ///   - name: The name of the field, which counts as a credential whatever it is called.
    ///   - value: The key.
    /// - Returns: The key at its place.
    public static func header(_ name: HTTPField.Name, _ value: String) -> APIKey {
        APIKey(place: .header(name), value: value)
    }

    /// Returns a key in the query.
    ///
    /// URLs reach logs of servers and proxies: prefer a header field where the server takes one.
    ///
    /// - Parameters:
    ///   - name: The name of the item. From now on its value is masked wherever this process shows a URL.
    ///   - value: The key.
    /// - Returns: The key at its place.
    public static func query(_ name: String, _ value: String) -> APIKey {
        Credentials.declare(queryItem: name)
        return APIKey(place: .query(name), value: value)
    }
}

extension APIKey: CustomStringConvertible, CustomReflectable {
    /// The place of the key, without its value.
    public var description: String {
        switch place {
        case .header(let name): "the field '\(name.rawName)'"
        case .query(let name): "the query item '\(name)'"
        }
    }

    /// The description, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Mirror(self, children: ["place": description]) }
}

extension CallConfigurable {
    /// Sends an API key with calls.
    ///
    /// It is a credential: it is masked in descriptions, events, errors and recordings, keeps stored responses apart
    /// from those of other keys, and follows no redirect to another server. The key of a manager or an environment goes
    /// to registered servers only, that of a server or an API to that server. A key that is set nearer to the call
    /// replaces it.
    ///
    /// - Parameter key: The key with its place.
    /// - Returns: A changed copy.
    public consuming func apiKey(_ key: APIKey) -> Self {
        switch key.place {
        case .header(let name):
            options[.credentialFields] = (options[.credentialFields] ?? []).union([name])
            return header(name, key.value)
        case .query(let name):
            options[.queryCredentials, default: [:]][name] = key.value
            return self
        }
    }
}

extension CallOptionKey<[String: String]> {
    static var queryCredentials: Self {
        Self(
            "query credentials",
            join: { $0.merging($1) { $1 } },
            describe: { $0.keys.sorted().joined(separator: ", ") }
        )
    }
}
