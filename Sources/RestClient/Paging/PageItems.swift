// SPDX-License-Identifier: MIT

/// The items of all pages of a listing.
struct PageItems<Model: Sendable, Item: Sendable>: AsyncSequence, Sendable {
    typealias Element = Item

    let pages: Pages<Model, Item>

    func makeAsyncIterator() -> Iterator {
        Iterator(pages: pages.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        var pages: Pages<Model, Item>.Iterator
        private var rest: ArraySlice<Item> = []

        init(pages: Pages<Model, Item>.Iterator) {
            self.pages = pages
        }

        mutating func next() async throws -> Item? {
            while rest.isEmpty {
                guard let page = try await pages.next() else {
                    return nil
                }
                rest = page.items[...]
            }
            return rest.popFirst()
        }
    }
}
