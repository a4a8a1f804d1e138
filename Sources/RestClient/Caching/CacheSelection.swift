// SPDX-License-Identifier: MIT

/// A selection of stored responses, to invalidate or remove them.
///
/// ```swift
/// try await manager.cache.invalidate(.api(.orders))
/// try await manager.cache.remove(.tag("user 7"), .path("/users/7"))
/// ```
public struct CacheSelection: Sendable {
    enum Kind: Sendable {
        case all
        case tag(String)
        case path(String)
        case matching(@Sendable (CachedResponse) -> Bool)
    }

    let kind: Kind

    /// Every stored response.
    public static let all = CacheSelection(kind: .all)

    /// The responses to all calls of an API operation, with any parameters and for any user.
    ///
    /// - Parameter alias: The operation's alias.
    /// - Returns: The selection.
    public static func api<Model>(_ alias: APIAlias<Model>) -> CacheSelection {
        CacheSelection(kind: .tag(CacheTag.api(alias.rawValue)))
    }

    /// The responses that were stored with a label; see ``CallConfigurable/cacheTags(_:)``.
    ///
    /// - Parameter tag: The label.
    /// - Returns: The selection.
    public static func tag(_ tag: String) -> CacheSelection {
        CacheSelection(kind: .tag(tag))
    }

    /// The responses of all URLs whose path begins with the given segments, on any server: `/users/7` selects
    /// `/users/7` and `/users/7/orders`, but not `/users/70`.
    ///
    /// - Parameter prefix: The beginning of the path, percent-encoded, including the path of the server's address.
    /// - Returns: The selection.
    public static func path(_ prefix: String) -> CacheSelection {
        CacheSelection(kind: .path(prefix))
    }

    /// The responses that satisfy a predicate, which is called with every stored response, without its body.
    ///
    /// - Parameter isChosen: Returns true for a response to select.
    /// - Returns: The selection.
    public static func matching(_ isChosen: @escaping @Sendable (CachedResponse) -> Bool) -> CacheSelection {
        CacheSelection(kind: .matching(isChosen))
    }

    static func path(_ path: Substring, beginsWith prefix: String) -> Bool {
        var prefix = prefix[...]
        while prefix.hasSuffix("/") { prefix.removeLast() }
        if !prefix.isEmpty, !prefix.hasPrefix("/") { prefix = "/" + prefix }
        guard path.hasPrefix(prefix) else {
            return false
        }
        let rest = path.dropFirst(prefix.count)
        return rest.isEmpty || rest.hasPrefix("/")
    }
}
