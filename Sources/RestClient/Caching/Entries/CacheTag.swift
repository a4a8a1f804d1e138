// SPDX-License-Identifier: MIT

/// The tags that entries get by themselves, beside those that calls give them.
enum CacheTag {
    private static let apiPrefix = "api:"

    /// The tag of all entries of an API operation.
    static func api(_ name: String) -> String { apiPrefix + name }

    /// The tag of the operation that a request names, if it names one.
    static func api(of target: ResolvedTarget) -> Set<String> {
        target.apiName.map { [api($0)] } ?? []
    }

    /// The operation that a tag stands for.
    static func apiName(_ tag: String) -> String? {
        tag.hasPrefix(apiPrefix) ? String(tag.dropFirst(apiPrefix.count)) : nil
    }
}
