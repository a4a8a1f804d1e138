// SPDX-License-Identifier: MIT

struct OutputFrame {
    enum State: UInt8 {
        case empty
        case complete
        case object
        case array
    }

    var state: State
    /// A Boolean value that indicates whether the frame ends when its parent goes on, because no call encloses it: a
    /// nested container, the encoder of a superclass.
    var endsWithParent: Bool
    /// A Boolean value that indicates whether coding paths leave out this frame's key, as Foundation leaves out those
    /// of nested containers.
    var isPassedOver: Bool
    /// A Boolean value that indicates whether the keys came in ascending order.
    var isAscending = true
    var hasUnicodeKeys = false
    /// Distinguishes the frame from earlier ones at its depth.
    let serial: UInt32
    var count = 0
    /// The place of this object's first member among all members.
    let firstMember: Int
}
