// SPDX-License-Identifier: MIT

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
