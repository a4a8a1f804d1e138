// SPDX-License-Identifier: MIT
import Synchronization

/// Keeps what was recorded, from any thread, in order.
final class Recorder<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] {
        elements.withLock { $0 }
    }

    func record(_ element: Element) {
        elements.withLock { $0.append(element) }
    }
}
