// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@Suite struct SlabTests {
    @Test
    func `a place names its element until the element is removed`() {
        var slab = Slab<String>()
        let first = slab.insert("first")
        let second = slab.insert("second")
        #expect(slab[first] == "first")
        #expect(slab[second] == "second")
        #expect(slab.remove(at: first) == "first")
        #expect(slab[first] == nil)
        #expect(slab[second] == "second")
        #expect(slab.count == 1)
    }

    @Test
    func `the place that became vacant last is used first`() {
        var slab = Slab<Int>()
        let places = (0..<3).map { slab.insert($0) }
        slab.remove(at: places[0])
        slab.remove(at: places[2])
        #expect(slab.insert(7) == places[2])
        #expect(slab.insert(8) == places[0])
        #expect(slab.insert(9) == 3)
        #expect(slab.places == [0, 1, 2, 3])
    }

    @Test
    func `a vacant place gives, changes and removes nothing`() {
        var slab = Slab<Int>()
        let place = slab.insert(1)
        slab.remove(at: place)
        #expect(slab.remove(at: place) == nil)
        #expect(slab.remove(at: 5) == nil)
        #expect(slab[-1] == nil)
        #expect(slab.update(place) { $0 += 1 } == nil)
        #expect(slab.isEmpty)
        #expect(slab.insert(2) == place)
        #expect(slab.insert(3) != place)
    }

    @Test
    func `an element changes in its place`() {
        var slab = Slab<[Int]>()
        let place = slab.insert([1])
        let count = slab.update(place) { element in
            element.append(2)
            return element.count
        }
        #expect(count == 2)
        #expect(slab[place] == [1, 2])
    }
}
