// SPDX-License-Identifier: MIT

extension Dictionary where Key == String {
    /// The members, sorted by the bytes of their names.
    ///
    /// `<` of texts puts neither "e\u{301}" nor "\u{E9}j" first, although they differ: the order of such names would be
    /// that of the dictionary, another one each time, and keys of the cache depend on it.
    var inOrder: [(key: String, value: Value)] {
        sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}
