// SPDX-License-Identifier: MIT

/// The automatic tags of entries, in addition to those of their calls.
enum CacheTag {
    private static let apiPrefix = "api:"

    /// The tag of all entries of an API operation.
    static func api(_ name: String) -> String { apiPrefix + name }

    /// Returns the tags of the responses that a call stores.
    static func all(of call: CallContext) -> Set<String> {
        guard let name = call.api else {
            return call.policy.cacheTags
        }
        return call.policy.cacheTags.union([api(name)])
    }

    /// Returns the API operation of a tag.
    static func apiName(_ tag: String) -> String? {
        tag.hasPrefix(apiPrefix) ? String(tag.dropFirst(apiPrefix.count)) : nil
    }
}
