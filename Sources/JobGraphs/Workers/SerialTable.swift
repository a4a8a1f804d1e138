// SPDX-License-Identifier: MIT

/// A table whose places are used again: inserting and removing allocates nothing once it has grown.
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

    /// How many elements there are.
    var count: Int { entries.count - vacant.count }

    /// The elements, in no order.
    var all: [(id: ID, element: Element)] {
        entries.indices.compactMap { place in
            entries[place].element.map { (ID(place: Int32(place), serial: entries[place].serial), $0) }
        }
    }

    /// The element with an identifier; `nil` when it was removed.
    ///
    /// Setting one that was removed does nothing.
    subscript(id: ID) -> Element? {
        get { contains(id) ? entries[Int(id.place)].element : nil }
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

    /// Removes an element, and returns it; `nil` when it was removed before.
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
