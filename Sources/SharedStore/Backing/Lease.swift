// SPDX-License-Identifier: MIT

package import RestEssentials

/// A temporary exclusive right.
package struct Lease: Sendable, Equatable {
    /// The name of the lease.
    package var name: String
    /// The name of its holder, which distinguishes this lease from later ones of the same name.
    package var owner: String
    /// The expiry of the lease, unless its holder releases it earlier.
    package var expiresAt: Date
}
