// SPDX-License-Identifier: MIT

import Synchronization

/// Keeps what was recorded, from any thread, in order.
final class Recorder<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] {
        elements.withLock { $0 }
    }

    /// Records, and runs the closure before anyone else can record.
    func record(_ element: Element, then body: () -> Void = {}) {
        elements.withLock { elements in
            elements.append(element)
            body()
        }
    }
}
