// SPDX-License-Identifier: MIT

/// Chooses stored responses, to mark them as stale or to remove them.
///
/// ```swift
/// try await manager.invalidateCached(.api(.orders))
/// try await manager.removeCached(.tag("user 7"), .path("/users/7"))
/// ```
public struct CacheSelection: Sendable {
    enum Kind: Sendable {
        case all
        case tag(String)
        case path(String)
        case matching(@Sendable (CachedAnswer) -> Bool)
    }

    let kind: Kind

    /// Every stored response.
    public static let all = CacheSelection(kind: .all)

    /// The answers to all calls of an API operation, whatever their parameters and users.
    ///
    /// - Parameter key: The operation's alias.
    /// - Returns: The selection.
    public static func api<Model>(_ key: APIAlias<Model>) -> CacheSelection {
        CacheSelection(kind: .tag(CacheTag.api(key.rawValue)))
    }

    /// The answers that were stored with a label; see ``CallConfigurable/cacheTags(_:)``.
    ///
    /// - Parameter tag: The label.
    /// - Returns: The selection.
    public static func tag(_ tag: String) -> CacheSelection {
        CacheSelection(kind: .tag(tag))
    }

    /// The responses of all URLs whose path begins with these segments, on any server: `/users/7` chooses `/users/7` and
    /// `/users/7/orders`, and not `/users/70`.
    ///
    /// - Parameter prefix: The beginning of the path, percent-encoded, with whatever path the server's address has.
    /// - Returns: The selection.
    public static func path(_ prefix: String) -> CacheSelection {
        CacheSelection(kind: .path(prefix))
    }

    /// The answers that a closure chooses; every stored response is shown to it, without its body.
    ///
    /// - Parameter isChosen: Whether to choose a response.
    /// - Returns: The selection.
    public static func matching(_ isChosen: @escaping @Sendable (CachedAnswer) -> Bool) -> CacheSelection {
        CacheSelection(kind: .matching(isChosen))
    }

    /// Whether a path begins with the segments of another one.
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
