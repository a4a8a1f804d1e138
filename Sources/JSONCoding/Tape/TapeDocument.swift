// SPDX-License-Identifier: MIT

internal import RestEssentials

/// A JSON text that was read: a copy of its bytes, and the tape that tells where the values are.
///
/// It owns its memory, so a decoder that outlives the call stays valid. Offsets and tape indices come from the scanner
/// alone, never from outside.
@safe final class TapeDocument {
    /// The text, followed by ``TapeScanner/padding`` zero bytes.
    let text: UnsafePointer<UInt8>
    /// The words of the tape; two fields of them change: where a search for a key starts, and that keys were checked.
    let tape: UnsafeMutablePointer<UInt64>
    let options: DecodingOptions

    /// The keys by which values were asked for, by tape index, where they are not those of the text.
    private(set) var aliases: [Int: any CodingKey] = [:]
    private var aliasLimit = 256
    /// The members of objects whose keys need more than a comparison of bytes, by tape index.
    var directories = MemberDirectories()
    private(set) lazy var foreignKeys = ForeignKeys()

    /// Reads a text.
    ///
    /// - Returns: `nil` if the text is not what the scanner reads: not JSON in UTF-8, too deep, too long.
    init?(_ data: Data, options: DecodingOptions) {
        let length = data.count
        guard length < TapeWord.limit else {
            return nil
        }
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: length + TapeScanner.padding)
        unsafe data.copyBytes(to: copy, count: length)
        unsafe (copy + length).initialize(repeating: 0, count: TapeScanner.padding)
        // The copy has the padding, and lives as long as the document or, failing that, this initializer.
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

    /// The index of what follows a value.
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

    /// Notes the key by which a value was asked for.
    func note(_ key: any CodingKey, of index: Int) {
        aliases[index] = key
        guard aliases.count > aliasLimit else {
            return
        }
        // Only the values around this one are still of interest.
        aliases = aliases.filter { $0.key <= index && next(after: $0.key) > index }
        aliasLimit = max(256, aliases.count * 2)
    }

    /// Forgets the key by which a value was asked for: its key is that of the text again.
    func forgetKey(of index: Int) {
        if !aliases.isEmpty {
            aliases.removeValue(forKey: index)
        }
    }
}
