// SPDX-License-Identifier: MIT

import JobGraphs

/// A call holds a worker slot while an attempt is on the wire.
extension CallContext: SlotHolder {
    package var limitKey: String? { server?.rawValue }
    package var sharesLimit: Bool { true }
    package var subject: (any Sendable)? { self }

    package func words(for index: Int) -> String {
        "\(id) \(summary)"
    }
}
