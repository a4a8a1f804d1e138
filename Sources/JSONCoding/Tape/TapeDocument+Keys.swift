// SPDX-License-Identifier: MIT

extension TapeDocument {
    /// Objects with more members than this get a directory once members are not requested in the order of the text.
    private static let longestWalk = 48
    /// Objects with more members than this get a directory at once: checking for equal keys would take too long.
    private static let mostChecked = 128
    /// The bit of an object's third word that says that its keys were checked.
    private static let checked: UInt64 = 1 << 63

    /// Tells whether the keys of an object are ASCII without escapes, and distinct: they are found by comparing bytes,
    /// while other objects get a directory, as equivalent strings are equal, and the first of equal keys counts.
    func hasPlainDistinctKeys(_ object: Int) -> Bool {
        if unsafe tape[object + 2] & Self.checked != 0 {
            return true
        }
        let end = word(object).position
        guard word(object).count <= Self.mostChecked else {
            return false
        }
        // A set of 1024 bits; only keys that hit the same bit are compared.
        let areDistinct = unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 16) { seen in
            unsafe seen.initialize(repeating: 0)
            var index = object &+ TapeWord.objectHeader
            while index < end {
                let key = word(index)
                guard key.isPlainString else {
                    return false
                }
                let hash = hash(key)
                let bit: UInt64 = 1 &<< (hash & 63)
                let place = Int(truncatingIfNeeded: hash &>> 6)
                if unsafe seen[place] & bit != 0, isRepeated(index, in: object) {
                    return false
                }
                unsafe seen[place] |= bit
                index = next(after: index &+ 1)
            }
            return true
        }
        if areDistinct {
            unsafe tape[object + 2] |= Self.checked
        }
        return areDistinct
    }

    /// Ten bits made of a key's length, its first eight bytes and its last eight.
    @inline(__always)
    private func hash(_ key: TapeWord) -> UInt64 {
        let start = unsafe UnsafeRawPointer(text + key.position)
        // The padding is longer than a chunk.
        var bits = unsafe start.loadUnaligned(as: UInt64.self).littleEndian
        let count = key.count
        if count < 8 {
            bits &= (1 &<< (UInt64(truncatingIfNeeded: count) &* 8)) &- 1
        } else {
            bits ^= unsafe (start + (count &- 8)).loadUnaligned(as: UInt64.self).littleEndian &* 31
        }
        return ((bits &+ UInt64(truncatingIfNeeded: count)) &* 0x9E37_79B9_7F4A_7C15) &>> 54
    }

    private func isRepeated(_ key: Int, in object: Int) -> Bool {
        let bytes = unsafe bytes(word(key))
        var index = object + TapeWord.objectHeader
        while index < key {
            if unsafe isEqual(word(index), bytes) {
                return true
            }
            index = next(after: index + 1)
        }
        return false
    }

    // MARK: - Search

    /// The tape index of the value of a key, or `nil`; the object's keys must be plain and distinct.
    @inline(__always)
    func value(of name: String, in object: Int) -> Int? {
        // Unlike `withUTF8`, this copies no reference. The names of keys are contiguous, those of bridged texts aside.
        if let found = unsafe name.utf8.withContiguousStorageIfAvailable({ unsafe search($0, in: object) }),
            let found
        {
            return found
        }
        return slowValue(of: name, in: object)
    }

    /// Returns the value of a key of which no bytes were found, or whose bytes are not contiguous.
    @inline(never)
    private func slowValue(of name: String, in object: Int) -> Int? {
        var name = name
        if !name.isContiguousUTF8, let found = name.withUTF8({ unsafe search($0, in: object) }) {
            return found
        }
        // Only a name that is not ASCII can be canonically equivalent to a key with other bytes.
        return name.utf8.allSatisfy { $0 < 0x80 } ? nil : directory(object)[name]
    }

    @inline(__always)
    private func search(_ name: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
        let bits = unsafe tape[object + 2]
        let hint = Int(truncatingIfNeeded: bits & 0xFFFF_FFFF)
        let end = word(object).position
        if hint < end, unsafe isEqual(word(hint), name) {
            remember(next(after: hint &+ 1), in: object)
            return hint &+ 1
        }
        return unsafe searchAll(name, from: hint, in: object)
    }

    private func searchAll(_ name: UnsafeBufferPointer<UInt8>, from hint: Int, in object: Int) -> Int? {
        let word = word(object)
        if word.count > Self.longestWalk {
            return unsafe directory(object)[String(decoding: name, as: UTF8.self)]
        }
        var index = hint
        while index < word.position {
            let following = next(after: index &+ 1)
            if unsafe isEqual(self.word(index), name) {
                remember(following, in: object)
                return index &+ 1
            }
            index = following
        }
        index = object + TapeWord.objectHeader
        while index < hint {
            let following = next(after: index &+ 1)
            if unsafe isEqual(self.word(index), name) {
                remember(following, in: object)
                return index &+ 1
            }
            index = following
        }
        return nil
    }

    /// Notes where the search for the next key starts: synthesized code decodes in the order in which it encodes.
    @inline(__always)
    private func remember(_ index: Int, in object: Int) {
        unsafe tape[object + 2] = Self.checked | UInt64(truncatingIfNeeded: index)
    }

    @inline(__always)
    private func isEqual(_ key: TapeWord, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard key.isPlainString, key.count == name.count else {
            return false
        }
        return unsafe ByteComparison.isEqual(text + key.position, name)
    }
}

enum ByteComparison {
    /// Compares as many bytes as the second argument has, without a function call and without reading further.
    ///
    /// - Safety: The first argument must point to at least that many bytes.
    @inline(__always)
    @unsafe static func isEqual(_ first: UnsafePointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
        let count = second.count
        guard count > 0, let start = second.baseAddress else {
            return count == 0
        }
        let left = unsafe UnsafeRawPointer(first)
        let right = unsafe UnsafeRawPointer(start)
        if count >= 8 {
            var offset = 0
            while offset &+ 8 <= count {
                guard unsafe isEqual(left, right, at: offset, as: UInt64.self) else {
                    return false
                }
                offset &+= 8
            }
            // The last chunk may overlap the one before.
            return unsafe isEqual(left, right, at: count &- 8, as: UInt64.self)
        }
        if count >= 4 {
            return unsafe isEqual(left, right, at: 0, as: UInt32.self)
                && isEqual(left, right, at: count &- 4, as: UInt32.self)
        }
        if count >= 2 {
            return unsafe isEqual(left, right, at: 0, as: UInt16.self)
                && isEqual(left, right, at: count &- 2, as: UInt16.self)
        }
        return unsafe first.pointee == start.pointee
    }

    @inline(__always)
    private static func isEqual<Chunk: FixedWidthInteger & BitwiseCopyable>(
        _ left: UnsafeRawPointer,
        _ right: UnsafeRawPointer,
        at offset: Int,
        as type: Chunk.Type
    ) -> Bool {
        unsafe (left + offset).loadUnaligned(as: type) == (right + offset).loadUnaligned(as: type)
    }
}
