// SPDX-License-Identifier: MIT

/// The latest change of a value, as its guard knows it: pure.
///
/// Each change of a value has a number, the first one 1. The guard keeps the number of the latest change four times,
/// and adds 1 while the value is being removed and 2 once it is, so that each step is a higher mark than the one
/// before, and a process may die between any two of them.
struct RollbackMark: Hashable, Sendable {
    let number: UInt64

    private static let removing: UInt64 = 1
    private static let removed: UInt64 = 2
    /// The number of a stored value may be forged; above this one, it would leave no room for further changes.
    private static let limit: UInt64 = 1 << 61

    init(number: UInt64) {
        self.number = number
    }

    init(change: UInt64) {
        number = change > .max / 4 ? .max : change * 4
    }

    /// The number of the latest change; 0 if there was none.
    var change: UInt64 { number / 4 }

    private var phase: UInt64 { number % 4 }

    /// Returns the mark of the change after this one, and after that of the stored value.
    func next(after stored: UInt64?) -> RollbackMark {
        let latest = latest(stored)
        return RollbackMark(change: latest == .max ? latest : latest + 1)
    }

    private func latest(_ stored: UInt64?) -> UInt64 {
        guard let stored, stored < Self.limit else {
            return change
        }
        return max(change, stored)
    }

    /// The mark with which the value may be there or not.
    func beginningRemoval(of stored: UInt64?) -> RollbackMark {
        RollbackMark(number: max(number, RollbackMark(change: latest(stored)).number | Self.removing))
    }

    /// The mark with which the value must not be there.
    func endingRemoval(of stored: UInt64?) -> RollbackMark {
        RollbackMark(number: RollbackMark(change: latest(stored)).number | Self.removed)
    }

    func defect(of stored: UInt64?) -> String? {
        guard let stored else {
            return number == 0 ? nil : "the value is from the time before its changes were counted"
        }
        if stored < change || (stored == change && phase >= Self.removed) {
            return "the value is an older one than the latest that was written"
        }
        // A process that died after it had written a value has not raised the mark.
        return stored > change + 1 ? "the value is ahead of its guard, which was put back or lost" : nil
    }

    var defectOfAbsence: String? {
        number > 0 && phase == 0 ? "the value is missing, although it was set" : nil
    }
}
