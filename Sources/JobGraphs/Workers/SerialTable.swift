// SPDX-License-Identifier: MIT

/// A slab whose identifiers are never used again, so that one of a removed element finds nothing.
///
/// Its elements are read and changed in place, since each node of a run asks for several.
package struct SerialTable<Element> {
    /// Names one element for as long as the table lives, also after its removal.
    package struct ID: Hashable, Sendable {
        fileprivate let place: Int32
        fileprivate let serial: UInt64
    }

    fileprivate struct Entry {
        var serial: UInt64
        var element: Element?
    }

    private var entries: [Entry] = []
    private var vacant: [Int32] = []
    private var lastSerial: UInt64 = 0

    /// The number of elements.
    var count: Int { entries.count - vacant.count }

    /// The elements, in no order.
    var all: [(id: ID, element: Element)] {
        entries.indices.compactMap { place in
            entries[place].element.map { (ID(place: Int32(place), serial: entries[place].serial), $0) }
        }
    }

    /// The element with an identifier; `nil` if it was removed.
    ///
    /// Changing one that was removed does nothing.
    subscript(id: ID) -> Element? {
        _read {
            guard contains(id) else {
                yield nil
                return
            }
            yield entries[Int(id.place)].element
        }
        _modify {
            guard contains(id) else {
                var nothing: Element?
                yield &nothing
                return
            }
            yield &entries[Int(id.place)].element
        }
    }

    /// Returns true if the element was not removed.
    func contains(_ id: ID) -> Bool {
        entries[Int(id.place)].serial == id.serial
    }

    /// Adds an element.
    mutating func insert(_ element: Element) -> ID {
        lastSerial += 1
        guard let place = vacant.popLast() else {
            entries.append(Entry(serial: lastSerial, element: element))
            return ID(place: Int32(entries.count - 1), serial: lastSerial)
        }
        entries[Int(place)] = Entry(serial: lastSerial, element: element)
        return ID(place: place, serial: lastSerial)
    }

    /// Removes an element, and returns it; `nil` if it was removed before.
    @discardableResult
    mutating func remove(_ id: ID) -> Element? {
        guard contains(id) else {
            return nil
        }
        let element = entries[Int(id.place)].element
        entries[Int(id.place)] = Entry(serial: 0, element: nil)
        vacant.append(id.place)
        return element
    }
}

extension SerialTable: Sendable where Element: Sendable {}

extension SerialTable.Entry: Sendable where Element: Sendable {}
