// SPDX-License-Identifier: MIT

internal import RestEssentials

/// A JSON text that was scanned: a copy of its bytes, and the tape with the places of its values.
///
/// It owns its memory, so a decoder that outlives the call stays valid. All offsets and tape indices come from the
/// scanner.
@safe final class TapeDocument {
    /// The text, followed by ``TapeScanner/padding`` zero bytes.
    let text: UnsafePointer<UInt8>
    /// The words of the tape, of which only the third word of objects changes later (see ``TapeWord``).
    let tape: UnsafeMutablePointer<UInt64>
    let options: DecodingOptions

    /// The keys by which values were requested, by tape index, where they are not those of the text.
    private(set) var aliases: [Int: any CodingKey] = [:]
    private var aliasLimit = 256
    /// The members of objects whose keys need more than a comparison of bytes, by tape index.
    var directories = MemberDirectories()
    var arrayTypes = ArrayTypes()
    private(set) lazy var foreignKeys = ForeignKeys()

    /// Reads a text; `nil` if the scanner refuses it, because it is not JSON in UTF-8, or too deep, or too long.
    init?(_ data: Data, options: DecodingOptions) {
        let length = data.count
        guard length < TapeWord.limit else {
            return nil
        }
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: length + TapeScanner.padding)
        unsafe data.copyBytes(to: copy, count: length)
        unsafe (copy + length).initialize(repeating: 0, count: TapeScanner.padding)
        // The copy ends with the padding. It lives at least until the end of this initializer.
        var scanner = unsafe TapeScanner(text: copy, length: length)
        let isValid = scanner.scan()
        unsafe text = UnsafePointer(copy)
        unsafe tape = scanner.tape
        self.options = options
        // All properties are set: from here on `deinit` deallocates.
        guard isValid else {
            return nil
        }
    }

    deinit {
        unsafe text.deallocate()
        unsafe tape.deallocate()
    }

    // MARK: - The tape

    @inline(__always)
    func word(_ index: Int) -> TapeWord {
        TapeWord(bits: unsafe tape[index])
    }

    @inline(__always)
    func next(after index: Int) -> Int {
        let word = word(index)
        return word.isContainer ? word.position : index &+ 1
    }

    /// The container around a container, and the place among its members.
    func surroundings(_ container: Int) -> (container: Int, place: Int) {
        let bits = unsafe tape[container + 1]
        return (Int(truncatingIfNeeded: bits >> 32), Int(truncatingIfNeeded: bits & 0xFFFF_FFFF))
    }

    // MARK: - Keys

    func note(_ key: any CodingKey, of index: Int) {
        aliases[index] = key
        guard aliases.count > aliasLimit else {
            return
        }
        // Paths need only the keys of this value and the values around it.
        aliases = aliases.filter { $0.key <= index && next(after: $0.key) > index }
        aliasLimit = max(256, aliases.count * 2)
    }

    /// Forgets the key by which a value was requested: coding paths have the key of the text again.
    func forgetKey(of index: Int) {
        if !aliases.isEmpty {
            aliases.removeValue(forKey: index)
        }
    }
}

/// The directories of a document's objects, by tape index: all of large objects, and a few of small ones, which are
/// cheap to make again.
struct MemberDirectories {
    private static let mostSmall = 64
    private static let smallest = 128

    private var large: [Int: [String: Int]] = [:]
    private var small: [Int: [String: Int]] = [:]

    subscript(object: Int) -> [String: Int]? {
        small[object] ?? large[object]
    }

    mutating func insert(_ directory: [String: Int], of object: Int) {
        guard directory.count < Self.smallest else {
            large[object] = directory
            return
        }
        if small.count == Self.mostSmall {
            small.removeAll(keepingCapacity: true)
        }
        small[object] = directory
    }
}
