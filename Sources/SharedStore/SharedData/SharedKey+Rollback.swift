// SPDX-License-Identifier: MIT

extension SharedKey {
    struct RollbackState {
        let rollbackGuard: RollbackGuard
        let mark: RollbackMark
        let stored: UInt64?
    }

    /// Throws if the codec does not authenticate the numbers of changes.
    private func usableGuard() throws(StoreError) -> RollbackGuard? {
        guard let rollbackGuard else {
            return nil
        }
        guard codecs.current.isSealed else {
            throw StoreError(.rollbackGuardFailed, "only a key with a sealed codec can have a guard", key: name)
        }
        return rollbackGuard
    }

    /// Checks that an opened value is not older than the latest one, and raises its mark if that lags behind.
    func checkRollback(of envelope: ValueEnvelope) throws(StoreError) {
        guard let rollbackGuard = try usableGuard() else {
            return
        }
        let mark = try rollbackGuard.mark(of: name)
        if let defect = mark.defect(of: envelope.change) {
            throw StoreError(.rolledBack, defect, key: name)
        }
        if let change = envelope.change, change > mark.change {
            try rollbackGuard.raise(RollbackMark(change: change), of: name)
        }
    }

    /// Checks that a value may be missing; one with a time to live always may.
    func checkAbsence() throws(StoreError) {
        guard let rollbackGuard = try usableGuard(), timeToLive == nil else {
            return
        }
        if let defect = try rollbackGuard.mark(of: name).defectOfAbsence {
            throw StoreError(.rolledBack, defect, key: name)
        }
    }

    /// Returns the mark of the value, and the number of what is stored; `nil` if the key has no guard.
    func rollbackState(of row: Row?) throws(StoreError) -> RollbackState? {
        guard let rollbackGuard = try usableGuard() else {
            return nil
        }
        return RollbackState(
            rollbackGuard: rollbackGuard,
            mark: try rollbackGuard.mark(of: name),
            stored: row.flatMap { try? ValueEnvelope($0.value, key: name) }?.change
        )
    }
}
