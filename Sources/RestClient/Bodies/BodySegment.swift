// SPDX-License-Identifier: MIT

import RestEssentials

/// A piece of a body, in the order in which it goes on the wire.
enum BodySegment: Sendable, Hashable {
    /// Bytes in memory.
    case bytes(Data)
    /// Bytes of a file, which a transport reads in pieces, or has sent by the system.
    case file(FileRange)

    /// How many bytes there are; `nil` if nobody has asked for the length of the file.
    var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        }
    }
}

extension [BodySegment] {
    /// How many bytes there are in all; `nil` if that of a file is not known, or if no number can hold it.
    var length: Int64? {
        var sum: Int64 = 0
        for segment in self {
            guard let length = segment.length else {
                return nil
            }
            let (total, overflows) = sum.addingReportingOverflow(length)
            guard !overflows else {
                return nil
            }
            sum = total
        }
        return sum
    }
}
