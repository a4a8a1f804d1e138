// SPDX-License-Identifier: MIT

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
