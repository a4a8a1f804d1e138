// SPDX-License-Identifier: MIT

import RestEssentials

struct CallSpan: Sendable {
    let id: CallID
    let startedAt: Date
    let duration: Duration
}
