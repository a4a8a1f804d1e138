// SPDX-License-Identifier: MIT

import RestEssentials

/// A key compared by its bytes.
///
/// `String` compares by canonical equivalence, engines compare bytes; with this type the memory tier and every engine
/// agree that a composed and a decomposed "é" are two keys.
package struct RowKey: Hashable, Sendable {
    package let string: String

    package init(_ string: String) {
        var string = string
        string.makeContiguousUTF8()
        self.string = string
    }

    package static func == (left: RowKey, right: RowKey) -> Bool {
        // Every dictionary lookup compares keys, so they are compared as memory if both are contiguous, which they are.
        let isEqual = unsafe left.string.utf8.withContiguousStorageIfAvailable { left -> Bool? in
            unsafe right.string.utf8.withContiguousStorageIfAvailable { right -> Bool in
                guard left.count == right.count else {
                    return false
                }
                guard let one = left.baseAddress, let other = right.baseAddress else {
                    return true
                }
                return unsafe memcmp(one, other, left.count) == 0
            }
        }
        return (isEqual ?? nil) ?? left.string.utf8.elementsEqual(right.string.utf8)
    }

    package func hasPrefix(_ prefix: RowKey) -> Bool {
        string.utf8.starts(with: prefix.string.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        let isHashed: Void? = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if isHashed == nil {
            for byte in string.utf8 { hasher.combine(byte) }
        }
    }
}

extension RowKey: Comparable {
    package static func < (left: RowKey, right: RowKey) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}
