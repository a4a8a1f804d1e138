// SPDX-License-Identifier: MIT

import RestEssentials

extension Redaction {
    /// Returns the items of a URL's query whose names mark their values as secrets: they tell users apart.
    static func secretItems(of url: String, except ignored: Set<String> = []) -> String? {
        let items = QueryItems.split(HTTPURL.query(of: url) ?? "")
            .filter { item in
                let name = PercentEncoding.decode(item.name, plusIsSpace: false)
                return isSecret(name) && !ignored.contains(foreign: name)
            }
        return items.isEmpty ? nil : items.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
    }
}
