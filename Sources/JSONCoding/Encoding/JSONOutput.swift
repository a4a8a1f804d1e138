// SPDX-License-Identifier: MIT

internal import RestEssentials

/// The text that an encoder writes, and the values that are not complete.
///
/// It owns its memory. Once it has failed, it accepts every value and discards it.
@safe final class JSONOutput {
    /// The greatest depth of containers; Foundation, which allows 511, handles values that are deeper.
    static let maximumDepth = 500
    let options: EncodingOptions
    /// Allocated apart from the object, because access to properties of an object is checked for exclusivity.
    private let memory: UnsafeMutablePointer<OutputState>
    /// The keys of coding paths that differ from those in the text, by depth.
    var aliases: [Int: any CodingKey] = [:] {
        didSet { unsafe memory.pointee.hasAliases = true }
    }

    /// Eight slashes, if slashes are escaped; else eight quotation marks.
    let slashPattern: UInt64

    init(_ options: EncodingOptions) {
        self.options = options
        slashPattern = 0x0101_0101_0101_0101 * UInt64(options.escapesSlashes ? UInt8(ascii: "/") : UInt8(ascii: "\""))
        unsafe memory = .allocate(capacity: 1)
        unsafe memory.initialize(to: OutputState())
        unsafe frames[0] = OutputFrame(serial: 0, firstMember: 0)
    }

    deinit {
        // Bytes, frames and members are trivial types, so they need no deinitialization.
        unsafe buffer.deallocate()
        unsafe frames.deallocate()
        unsafe members.deallocate()
        unsafe memory.deallocate()
    }

    // MARK: - State

    @inline(__always) var buffer: UnsafeMutablePointer<UInt8> { unsafe memory.pointee.buffer }

    @inline(__always) var count: Int {
        get { unsafe memory.pointee.count }
        set { unsafe memory.pointee.count = newValue }
    }

    @inline(__always) var frames: UnsafeMutablePointer<OutputFrame> { unsafe memory.pointee.frames }

    @inline(__always) var top: Int {
        get { unsafe memory.pointee.top }
        set { unsafe memory.pointee.top = newValue }
    }

    @inline(__always) var members: UnsafeMutablePointer<OutputMember> { unsafe memory.pointee.members }

    @inline(__always) var memberCount: Int {
        get { unsafe memory.pointee.memberCount }
        set { unsafe memory.pointee.memberCount = newValue }
    }

    @inline(__always) var hasFailed: Bool { unsafe memory.pointee.hasFailed }

    @inline(__always) var hasAliases: Bool { unsafe memory.pointee.hasAliases }

    func finish() -> Data? {
        guard leave(to: 0), unsafe frames[0].state != .empty else {
            return nil
        }
        close(0)
        return hasFailed ? nil : unsafe Data(bytes: buffer, count: count)
    }

    func fail() {
        unsafe memory.pointee.hasFailed = true
    }

    // MARK: - Room

    @inline(__always)
    func reserve(_ length: Int) {
        if unsafe memory.pointee.capacity &- count < length {
            unsafe memory.pointee.grow(length)
        }
    }

    /// Appends a byte for which room was reserved.
    @inline(__always)
    func put(_ byte: UInt8) {
        unsafe buffer[count] = byte
        count &+= 1
    }

    // MARK: - Frames

    @inline(__always)
    func push(_ state: OutputFrame.State, endsWithParent: Bool = false, isPassedOver: Bool = false) -> ValueEncoder {
        top &+= 1
        if unsafe top == memory.pointee.frameCapacity {
            unsafe memory.pointee.growFrames()
        }
        unsafe memory.pointee.lastSerial &+= 1
        let serial = unsafe memory.pointee.lastSerial
        unsafe frames[top] = OutputFrame(
            endsWithParent: endsWithParent,
            isPassedOver: isPassedOver,
            serial: serial,
            firstMember: memberCount
        )
        let encoder = ValueEncoder(output: self, depth: top, serial: serial)
        if state != .empty {
            open(state)
        }
        return encoder
    }

    /// Turns the value that is being written, of which nothing was written yet, into a container.
    @inline(__always)
    func open(_ state: OutputFrame.State) {
        if top > Self.maximumDepth {
            fail()
        }
        unsafe frames[top].state = state
        reserve(1)
        put(state == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
    }

    @inline(__always)
    func pop(_ encoder: ValueEncoder) {
        guard leave(to: encoder.depth), unsafe frames[top].serial == encoder.serial else {
            fail()
            return
        }
        close(top)
        top &-= 1
    }

    /// Ends the nested containers above a depth; `false` if other values are being written there.
    @inline(__always)
    func leave(to depth: Int) -> Bool {
        top == depth || leaveNested(to: depth)
    }

    @inline(never)
    private func leaveNested(to depth: Int) -> Bool {
        while top > depth, unsafe frames[top].endsWithParent {
            close(top)
            top -= 1
        }
        return top == depth
    }

    private func close(_ depth: Int) {
        switch unsafe frames[depth].state {
        case .complete:
            break
        case .array:
            reserve(1)
            put(UInt8(ascii: "]"))
        case .object:
            closeObject(depth)
        case .empty:
            // A value that encoded nothing becomes an object without members.
            reserve(2)
            put(UInt8(ascii: "{"))
            put(UInt8(ascii: "}"))
        }
    }

    /// Returns to a container to write its next member or element; `false` if it cannot continue, and Foundation must
    /// encode the value.
    @inline(__always)
    func resume(_ encoder: ValueEncoder) -> Bool {
        guard !hasFailed, leave(to: encoder.depth), unsafe frames[top].serial == encoder.serial else {
            fail()
            return false
        }
        return true
    }

    // MARK: - Members

    @inline(__always)
    func append(_ member: OutputMember) {
        if unsafe memberCount == memory.pointee.memberCapacity {
            unsafe memory.pointee.growMembers()
        }
        unsafe members[memberCount] = member
        memberCount &+= 1
    }
}

/// The memory of an encoder: the text, the values that are not complete, the members of open objects.
@safe struct OutputState {
    /// The number of spare bytes behind the text, so that chunks of eight bytes can be read.
    private static let slack = 16

    var count = 0
    var buffer: UnsafeMutablePointer<UInt8>
    private(set) var capacity = 2048

    var top = 0
    var lastSerial: UInt32 = 0
    var frames: UnsafeMutablePointer<OutputFrame>
    private(set) var frameCapacity = 16

    var memberCount = 0
    var members: UnsafeMutablePointer<OutputMember>
    private(set) var memberCapacity = 40

    var hasFailed = false
    var hasAliases = false

    init() {
        unsafe buffer = .allocate(capacity: capacity + Self.slack)
        unsafe frames = .allocate(capacity: frameCapacity)
        unsafe members = .allocate(capacity: memberCapacity)
    }

    mutating func grow(_ length: Int) {
        let larger = max(capacity * 2, count + length)
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: larger + Self.slack)
        unsafe copy.update(from: buffer, count: count)
        unsafe buffer.deallocate()
        unsafe buffer = copy
        capacity = larger
    }

    mutating func growFrames() {
        let larger = UnsafeMutablePointer<OutputFrame>.allocate(capacity: frameCapacity * 2)
        unsafe larger.update(from: frames, count: frameCapacity)
        unsafe frames.deallocate()
        unsafe frames = larger
        frameCapacity *= 2
    }

    mutating func growMembers() {
        let larger = UnsafeMutablePointer<OutputMember>.allocate(capacity: memberCapacity * 2)
        unsafe larger.update(from: members, count: memberCount)
        unsafe members.deallocate()
        unsafe members = larger
        memberCapacity *= 2
    }
}

extension JSONOutput {
    func codingPath(ofValueAt depth: Int) -> [any CodingKey] {
        path(to: depth) { unsafe !self.frames[$0].isPassedOver }
    }

    /// Returns the path of a container: that of its value, and the keys of the enclosing nested containers.
    func codingPath(ofContainerAt depth: Int) -> [any CodingKey] {
        guard depth <= top else {
            return []
        }
        var owner = depth
        while owner > 0, unsafe frames[owner].isPassedOver {
            owner -= 1
        }
        return path(to: depth) { unsafe $0 > owner || !self.frames[$0].isPassedOver }
    }

    private func path(to depth: Int, where isIncluded: (Int) -> Bool) -> [any CodingKey] {
        guard !hasFailed, depth > 0, depth <= top else {
            return []
        }
        return (1...depth).filter(isIncluded).map { key(at: $0) }
    }

    /// The key of the value at a depth within the value around it.
    private func key(at depth: Int) -> any CodingKey {
        let container = unsafe frames[depth - 1]
        guard container.state == .object else {
            return PathKey(index: container.count - 1)
        }
        if let alias = aliases[depth] {
            return alias
        }
        // Members of values within the container come after those of the container.
        let member = unsafe members[container.firstMember + container.count - 1]
        let text = unsafe UnsafeBufferPointer(start: buffer + Int(member.start) + 1, count: Int(member.keyLength))
        return PathKey(unsafe String(decoding: text, as: UTF8.self))
    }
}

struct OutputFrame {
    enum State: UInt8 {
        case empty
        case complete
        case object
        case array
    }

    var state = State.empty
    /// A Boolean value that indicates whether the frame ends when its parent goes on, because no call encloses it: a
    /// nested container, the encoder of a superclass.
    var endsWithParent = false
    /// A Boolean value that indicates whether coding paths leave out this frame's key, as Foundation leaves out those
    /// of nested containers.
    var isPassedOver = false
    var isAscending = true
    var hasUnicodeKeys = false
    /// Distinguishes the frame from earlier ones at its depth.
    let serial: UInt32
    var count = 0
    let firstMember: Int
}

/// A member of an object that is being written: its place in the buffer, and the start of its key for comparisons.
struct OutputMember {
    /// The first eight bytes of the key; the first byte is the most significant.
    let prefix: UInt64
    /// The offset of the key's quotation mark.
    let start: UInt32
    let keyLength: UInt32
    /// The offset behind the value; set when the object is complete.
    var end: UInt32 = 0
}
