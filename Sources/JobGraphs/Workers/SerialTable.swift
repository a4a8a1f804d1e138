// SPDX-License-Identifier: MIT

import RestEssentials

/// A slab whose identifiers are never used again, so that one of a removed element finds nothing.
package struct SerialTable<Element> {
    /// Names one element for as long as the table lives, also after its removal.
    package struct ID: Hashable, Sendable {
        fileprivate let place: Int
        fileprivate let serial: UInt64
    }

    private var slab = Slab<(serial: UInt64, element: Element)>()
    private var lastSerial: UInt64 = 0

    /// The number of elements.
    var count: Int { slab.count }

    /// The elements, in no order.
    var all: [(id: ID, element: Element)] {
        slab.places.compactMap { place in
            slab[place].map { (ID(place: place, serial: $0.serial), $0.element) }
        }
    }

    /// The element with an identifier; `nil` if it was removed.
    subscript(id: ID) -> Element? { contains(id) ? slab[id.place]?.element : nil }

    /// Returns true if the element was not removed.
    func contains(_ id: ID) -> Bool { slab[id.place]?.serial == id.serial }

    /// Adds an element.
    mutating func insert(_ element: Element) -> ID {
        lastSerial += 1
        return ID(place: slab.insert((lastSerial, element)), serial: lastSerial)
    }

    /// Changes an element in place; does nothing if it was removed.
    mutating func update(_ id: ID, _ change: (inout Element) -> Void) {
        if contains(id) {
            slab.update(id.place) { change(&$0.element) }
        }
    }

    /// Removes an element, and returns it; `nil` if it was removed before.
    @discardableResult
    mutating func remove(_ id: ID) -> Element? {
        contains(id) ? slab.remove(at: id.place)?.element : nil
    }
}

extension SerialTable: Sendable where Element: Sendable {}
