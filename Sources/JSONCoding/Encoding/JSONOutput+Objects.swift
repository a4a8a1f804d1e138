// SPDX-License-Identifier: MIT

extension JSONOutput {
    /// Starts a member of the object that is being written; `false` if Foundation must encode the value.
    @inline(__always)
    func beginMember(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { unsafe beginMember($0) }
    }

    private func beginMember(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let length = name.count
        reserve(length &+ 5)
        let frame = unsafe frames + top
        let isFirst = unsafe frame.pointee.count == 0
        if !isFirst {
            put(UInt8(ascii: ","))
        }
        let start = count
        put(UInt8(ascii: "\""))
        unsafe copy(name)
        let first = chunk(at: start &+ 1, length)
        var unusual = marks(first.bits) & first.mask
        var all = first.bits & first.mask
        var offset = 8
        while offset < length {
            let next = chunk(at: start &+ 1 &+ offset, length &- offset)
            unusual |= marks(next.bits) & next.mask
            all |= next.bits & next.mask
            offset &+= 8
        }
        // Foundation handles keys that need an escape.
        guard unusual == 0, start <= Int(Int32.max) - length else {
            fail()
            return false
        }
        if all & 0x8080_8080_8080_8080 != 0 {
            unsafe frame.pointee.hasUnicodeKeys = true
        }
        let member = OutputMember(
            prefix: (first.bits & first.mask).byteSwapped,
            start: UInt32(truncatingIfNeeded: start),
            keyLength: UInt32(truncatingIfNeeded: length)
        )
        if unsafe !isFirst && frame.pointee.isAscending && !precedes(members[memberCount &- 1], member) {
            unsafe frame.pointee.isAscending = false
        }
        append(member)
        unsafe frame.pointee.count &+= 1
        count &+= length
        put(UInt8(ascii: "\""))
        put(UInt8(ascii: ":"))
        return true
    }

    /// Eight bytes of the buffer, the first of them lowest, and a mask of those that belong to the text.
    @inline(__always)
    private func chunk(at offset: Int, _ length: Int) -> (bits: UInt64, mask: UInt64) {
        let bits = unsafe UnsafeRawPointer(buffer + offset).loadUnaligned(as: UInt64.self).littleEndian
        return (bits, length >= 8 ? .max : (1 &<< (UInt64(truncatingIfNeeded: length) &* 8)) &- 1)
    }

    @inline(__always)
    func precedes(_ first: OutputMember, _ second: OutputMember) -> Bool {
        if first.prefix != second.prefix {
            return first.prefix < second.prefix
        }
        return first.keyLength > 8 || second.keyLength > 8
            ? unsafe text(first).lexicographicallyPrecedes(text(second)) : first.keyLength < second.keyLength
    }

    private func text(_ member: OutputMember) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: buffer + Int(member.start) + 1, count: Int(member.keyLength))
    }

    // MARK: - End

    /// Ends an object: sorts its members if required, and finds keys that were encoded twice.
    @inline(__always)
    func closeObject(_ depth: Int) {
        let frame = unsafe frames[depth]
        if !frame.isAscending || frame.hasUnicodeKeys {
            finishMembers(frame)
        }
        memberCount = frame.firstMember
        reserve(1)
        put(UInt8(ascii: "}"))
    }

    @inline(never)
    private func finishMembers(_ frame: OutputFrame) {
        guard !hasFailed else {
            return
        }
        let members = unsafe UnsafeMutableBufferPointer(start: members + frame.firstMember, count: frame.count)
        for place in members.indices {
            unsafe members[place].end =
                place + 1 < frame.count ? members[place + 1].start - 1 : UInt32(truncatingIfNeeded: count)
        }
        guard count <= Int(Int32.max) else {
            return fail()
        }
        // Foundation considers canonically equivalent keys equal.
        if frame.hasUnicodeKeys {
            let keys = unsafe Set(members.map { unsafe String(decoding: text($0), as: UTF8.self) })
            guard keys.count == frame.count else {
                return fail()
            }
        }
        guard options.sortsKeys else {
            if unsafe hasRepeatedKeys(members) {
                fail()
            }
            return
        }
        guard !frame.isAscending else {
            return
        }
        let start = unsafe Int(members[0].start)
        unsafe sort(members)
        for place in 1..<frame.count where unsafe !precedes(members[place - 1], members[place]) {
            return fail()
        }
        unsafe rearrange(members, from: start)
    }

    @inline(__always)
    private func sort(_ members: UnsafeMutableBufferPointer<OutputMember>) {
        guard members.count <= 24 else {
            var members = unsafe members
            return unsafe members.sort { precedes($0, $1) }
        }
        for place in 1..<members.count {
            let member = unsafe members[place]
            var hole = place
            while hole > 0, unsafe precedes(member, members[hole &- 1]) {
                unsafe members[hole] = members[hole &- 1]
                hole &-= 1
            }
            unsafe members[hole] = member
        }
    }

    private func rearrange(_ members: UnsafeMutableBufferPointer<OutputMember>, from start: Int) {
        let length = count - start
        // The free space after the text serves as scratch memory.
        reserve(length)
        let scratch = unsafe buffer + count
        unsafe scratch.update(from: buffer + start, count: length)
        var target = unsafe buffer + start
        for place in members.indices {
            if place > 0 {
                unsafe target.pointee = UInt8(ascii: ",")
                unsafe target += 1
            }
            let member = unsafe members[place]
            let size = Int(member.end - member.start)
            unsafe target.update(from: scratch + (Int(member.start) - start), count: size)
            unsafe target += size
        }
    }

    private func hasRepeatedKeys(_ members: UnsafeMutableBufferPointer<OutputMember>) -> Bool {
        guard members.count <= 32 else {
            let sorted = unsafe members.sorted { precedes($0, $1) }
            return zip(sorted, sorted.dropFirst()).contains { !precedes($0, $1) }
        }
        var seen: UInt64 = 0
        for place in members.indices {
            let member = unsafe members[place]
            let hash = (member.prefix ^ UInt64(member.keyLength)) &* 0x9E37_79B9_7F4A_7C15
            let bit: UInt64 = 1 << (hash >> 58)
            if seen & bit != 0, unsafe isRepeated(place, in: members) {
                return true
            }
            seen |= bit
        }
        return false
    }

    private func isRepeated(_ place: Int, in members: UnsafeMutableBufferPointer<OutputMember>) -> Bool {
        let member = unsafe members[place]
        return (0..<place)
            .contains { index in
                let earlier = unsafe members[index]
                return unsafe earlier.prefix == member.prefix && earlier.keyLength == member.keyLength
                    && text(earlier).elementsEqual(text(member))
            }
    }
}
