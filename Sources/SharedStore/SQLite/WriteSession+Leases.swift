// SPDX-License-Identifier: MIT

import RestEssentials

extension WriteSession {
    private static let readLease = Query("SELECT owner, expires_at FROM leases WHERE name = ?1")
    private static let writeLease = Query("INSERT OR REPLACE INTO leases VALUES (?1, ?2, ?3)")
    private static let dropLease = Query("DELETE FROM leases WHERE name = ?1 AND owner = ?2")
    private static let dropEndedLeases = Query("DELETE FROM leases WHERE expires_at <= ?1")

    func acquireLease(_ name: String, owner: String, until: Date, now: Date) throws(StoreError) -> Lease? {
        let current = try lease(name)
        if let current, current.owner != owner, current.expiresAt > now { return nil }
        hasWritten = true
        try connection.run(Self.writeLease, name, owner, until)
        return Lease(name: name, owner: owner, expiresAt: until)
    }

    /// Removes a released lease, and all leases that have expired.
    func dropLease(_ lease: Lease, now: Date) throws(StoreError) {
        hasWritten = true
        try connection.run(Self.dropLease, lease.name, lease.owner)
        try connection.run(Self.dropEndedLeases, now)
    }

    private func lease(_ name: String) throws(StoreError) -> Lease? {
        let statement = try connection.statement(Self.readLease, name)
        defer { statement.reset() }
        return try statement.step() ? Lease(name: name, owner: statement.text(0), expiresAt: statement.date(1)) : nil
    }
}
