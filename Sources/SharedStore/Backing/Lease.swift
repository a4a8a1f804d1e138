// SPDX-License-Identifier: MIT

package import RestEssentials

/// The right, for a while, to be the only one who does something.
package struct Lease: Sendable, Equatable {
    /// What is leased.
    package var name: String
    /// Who holds it.
    package var owner: String
    package var expiresAt: Date
    /// Grows each time the lease changes hands; give it to whatever must refuse a holder that came back too late.
    package var fence: UInt64
}
