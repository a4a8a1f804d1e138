// SPDX-License-Identifier: MIT

import RestEssentials

enum BodySegment: Sendable, Hashable {
    case bytes(Data)
    case file(FileRange)

    var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        }
    }
}

extension [BodySegment] {
    /// The total number of bytes; `nil` if that of a file is unknown, or if it overflows.
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
