// SPDX-License-Identifier: MIT

import RestEssentials

/// The time at which a call ran.
struct CallSpan: Sendable {
    let id: CallID
    /// The time of day at which the call began.
    let startedAt: Date
    let duration: Duration
}
