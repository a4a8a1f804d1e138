// SPDX-License-Identifier: MIT

/// A collection whose elements keep their places, so that a place finds an element in constant time.
///
/// The places of removed elements are reused, the latest first: adding an element allocates nothing while such a place
/// is left.
public struct Slab<Element> {
    /// Identifies an element from its insertion to its removal.
    public typealias Place = Int

    @usableFromInline var elements: [Element?] = []
    @usableFromInline var vacant: [Place] = []

    /// Creates an empty collection.
    @inlinable public init() {}

    /// The number of elements.
    @inlinable public var count: Int { elements.count - vacant.count }

    /// A Boolean value that is true if there are no elements.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// All elements, in the order of their places.
    @inlinable public var all: [Element] { elements.compactMap(\.self) }

    /// The places of all elements, in ascending order.
    @inlinable public var places: [Place] { elements.indices.filter { elements[$0] != nil } }

    /// The element at a place; `nil` if the place is vacant.
    @inlinable public subscript(place: Place) -> Element? { elements.indices.contains(place) ? elements[place] : nil }

    /// Adds an element.
    @inlinable public mutating func insert(_ element: Element) -> Place {
        guard let place = vacant.popLast() else {
            elements.append(element)
            return elements.count - 1
        }
        elements[place] = element
        return place
    }

    /// Removes the element at a place, which becomes vacant; returns `nil` if it was vacant before.
    @inlinable @discardableResult
    public mutating func remove(at place: Place) -> Element? {
        guard elements.indices.contains(place), let element = elements[place].take() else {
            return nil
        }
        vacant.append(place)
        return element
    }

    /// Changes the element at a place, without a copy; does nothing and returns `nil` if the place is vacant.
    @inlinable @discardableResult
    public mutating func update<Result>(_ place: Place, _ change: (inout Element) -> Result) -> Result? {
        guard elements.indices.contains(place), var element = elements[place].take() else {
            return nil
        }
        defer { elements[place] = element }
        return change(&element)
    }
}

extension Slab: Sendable where Element: Sendable {}
