// SPDX-License-Identifier: MIT

package final class LocalWork: SlotHolder {
    let name: String
    package let groupID: GroupID?
    package let limitKey: String?

    package static let unnamed = LocalWork(name: "")

    init(name: String, groupID: GroupID? = nil, limitKey: String? = nil) {
        self.name = name
        self.groupID = groupID
        self.limitKey = limitKey
    }

    package func words(for index: Int) -> String { Self.words(for: name) }

    static func words(for name: String) -> String { "local job '\(name)'" }
}
