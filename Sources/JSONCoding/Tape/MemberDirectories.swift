// SPDX-License-Identifier: MIT

/// The directories of a document's objects, by tape index.
///
/// Directories of large objects are kept. Those of small objects are cheap to make again, so only a few are kept.
struct MemberDirectories {
    private static let mostSmall = 64
    private static let smallest = 128

    private var large: [Int: [String: Int]] = [:]
    private var small: [Int: [String: Int]] = [:]

    subscript(object: Int) -> [String: Int]? {
        small[object] ?? large[object]
    }

    mutating func insert(_ directory: [String: Int], of object: Int) {
        guard directory.count < Self.smallest else {
            large[object] = directory
            return
        }
        if small.count == Self.mostSmall {
            small.removeAll(keepingCapacity: true)
        }
        small[object] = directory
    }
}
