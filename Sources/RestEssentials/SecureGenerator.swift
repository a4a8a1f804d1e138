// SPDX-License-Identifier: MIT

/// The system's generator of unpredictable numbers, as a value that occupies memory.
///
/// `SystemRandomNumberGenerator` is empty, so the compiler passes an arbitrary address for it as an `inout` argument of
/// a generic function. ThreadSanitizer examines that address in each function that passes the argument on, and crashes.
package struct SecureGenerator: RandomNumberGenerator, Sendable {
    private var system = SystemRandomNumberGenerator()
    /// A byte of memory; it is never read.
    private let occupied: UInt8 = 0

    package init() {}

    package mutating func next() -> UInt64 {
        system.next()
    }
}
