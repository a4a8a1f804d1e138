// SPDX-License-Identifier: MIT

package import RestEssentials

/// The exclusive right, for a while, to do something.
package struct Lease: Sendable, Equatable {
    /// The name of the lease.
    package var name: String
    /// The name of its holder, which distinguishes this lease from later ones of the same name.
    package var owner: String
    /// The end of the lease, should its holder not give it back.
    package var expiresAt: Date
}
