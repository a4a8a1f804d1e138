// SPDX-License-Identifier: MIT

/// A slab whose identifiers are never reused, so that the identifier of a removed element finds nothing.
package struct SerialTable<Element> {
    /// Identifies one element for the lifetime of the table, even after its removal.
    package struct ID: Hashable, Sendable {
        fileprivate let place: Int32
        fileprivate let serial: UInt64
    }

    private var elements: [Element?] = []
    /// The serial number of the element at each place; 0 for a vacant place.
    private var serials: [UInt64] = []
    private var vacant: [Int32] = []
    private var lastSerial: UInt64 = 0

    /// The number of elements.
    var count: Int { elements.count - vacant.count }

    /// The elements, in no particular order.
    var all: [(id: ID, element: Element)] {
        elements.indices.compactMap { place in
            elements[place].map { (ID(place: Int32(place), serial: serials[place]), $0) }
        }
    }

    /// The element with an identifier; `nil` if it was removed.
    subscript(id: ID) -> Element? { contains(id) ? elements[Int(id.place)] : nil }

    /// Returns true if the element has not been removed.
    func contains(_ id: ID) -> Bool {
        serials[Int(id.place)] == id.serial
    }

    /// Changes an element; does nothing and returns `nil` if it was removed.
    ///
    /// It is not the setter of the subscript, because a coroutine over a large element allocates memory at each use.
    @discardableResult
    mutating func update<Result>(_ id: ID, _ change: (inout Element) -> Result) -> Result? {
        guard contains(id), var element = elements[Int(id.place)].take() else {
            return nil
        }
        defer { elements[Int(id.place)] = element }
        return change(&element)
    }

    /// Adds an element.
    mutating func insert(_ element: Element) -> ID {
        lastSerial += 1
        guard let place = vacant.popLast() else {
            elements.append(element)
            serials.append(lastSerial)
            return ID(place: Int32(elements.count - 1), serial: lastSerial)
        }
        elements[Int(place)] = element
        serials[Int(place)] = lastSerial
        return ID(place: place, serial: lastSerial)
    }

    /// Removes and returns an element; `nil` if it was already removed.
    @discardableResult
    mutating func remove(_ id: ID) -> Element? {
        guard contains(id) else {
            return nil
        }
        serials[Int(id.place)] = 0
        vacant.append(id.place)
        return elements[Int(id.place)].take()
    }
}

extension SerialTable: Sendable where Element: Sendable {}
