// SPDX-License-Identifier: MIT

extension JSONOutput {
    func codingPath(ofValueAt depth: Int) -> [any CodingKey] {
        path(to: depth) { unsafe !self.frames[$0].isPassedOver }
    }

    /// Returns the path of a container: that of its value, and the keys of the enclosing nested containers.
    func codingPath(ofContainerAt depth: Int) -> [any CodingKey] {
        guard depth <= top else {
            return []
        }
        var owner = depth
        while owner > 0, unsafe frames[owner].isPassedOver {
            owner -= 1
        }
        return path(to: depth) { unsafe $0 > owner || !self.frames[$0].isPassedOver }
    }

    private func path(to depth: Int, where isIncluded: (Int) -> Bool) -> [any CodingKey] {
        guard !hasFailed, depth > 0, depth <= top else {
            return []
        }
        return (1...depth).filter(isIncluded).map { key(at: $0) }
    }

    /// The key of the value at a depth within the value around it.
    private func key(at depth: Int) -> any CodingKey {
        let container = unsafe frames[depth - 1]
        guard container.state == .object else {
            return PathKey(index: container.count - 1)
        }
        if let alias = aliases[depth] {
            return alias
        }
        // Members of values within the container come after those of the container.
        let member = unsafe members[container.firstMember + container.count - 1]
        let text = unsafe UnsafeBufferPointer(start: buffer + Int(member.start) + 1, count: Int(member.keyLength))
        return PathKey(unsafe String(decoding: text, as: UTF8.self))
    }
}
