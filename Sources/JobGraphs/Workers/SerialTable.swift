// SPDX-License-Identifier: MIT

import RestEssentials

/// A slab whose identifiers are never reused, so that the identifier of a removed element finds nothing.
package struct SerialTable<Element> {
    package struct ID: Hashable, Sendable {
        private let shortPlace: Int32
        fileprivate let serial: UInt64

        fileprivate init(_ place: Slab<Element>.Place, serial: UInt64) {
            shortPlace = Int32(place)
            self.serial = serial
        }

        fileprivate var place: Slab<Element>.Place { Int(shortPlace) }
    }

    private var elements = Slab<Element>()
    /// The serial number of the element at each place; 0 for a vacant place.
    private var serials: [UInt64] = []
    private var lastSerial: UInt64 = 0

    var count: Int { elements.count }

    /// The elements, in no particular order.
    var all: [(id: ID, element: Element)] {
        zip(elements.places, elements.all).map { (ID($0, serial: serials[$0]), $1) }
    }

    subscript(id: ID) -> Element? { contains(id) ? elements[id.place] : nil }

    func contains(_ id: ID) -> Bool {
        serials[id.place] == id.serial
    }

    /// Changes an element; does nothing and returns `nil` if it was removed.
    ///
    /// It is not the setter of the subscript, because a coroutine over a large element allocates memory at each use.
    @discardableResult
    mutating func update<Result>(_ id: ID, _ change: (inout Element) -> Result) -> Result? {
        contains(id) ? elements.update(id.place, change) : nil
    }

    mutating func insert(_ element: Element) -> ID {
        lastSerial += 1
        let place = elements.insert(element)
        if place == serials.count {
            serials.append(lastSerial)
        } else {
            serials[place] = lastSerial
        }
        return ID(place, serial: lastSerial)
    }

    @discardableResult
    mutating func remove(_ id: ID) -> Element? {
        guard contains(id) else {
            return nil
        }
        serials[id.place] = 0
        return elements.remove(at: id.place)
    }
}

extension SerialTable: Sendable where Element: Sendable {}
