// SPDX-License-Identifier: MIT

enum CacheTag {
    private static let apiPrefix = "api:"

    static func api(_ name: String) -> String { apiPrefix + name }

    static func all(of call: CallContext) -> Set<String> {
        guard let name = call.api else {
            return call.policy.cacheTags
        }
        return call.policy.cacheTags.union([api(name)])
    }

    static func apiName(_ tag: String) -> String? {
        tag.hasPrefix(apiPrefix) ? String(tag.dropFirst(apiPrefix.count)) : nil
    }
}
