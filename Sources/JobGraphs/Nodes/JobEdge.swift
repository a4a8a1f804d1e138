// SPDX-License-Identifier: MIT

/// One node waits for another.
package struct JobEdge: Sendable {
    /// The part of the first node that the second one waits for.
    enum Need: UInt8, Sendable {
        /// Its result, which the second node receives.
        case value
        /// Its success, with any result.
        case success
        /// Its end, with or without success.
        case end
        /// The result `true`.
        case truth
        /// The result `false`.
        case falsehood
    }

    package let from: Int32
    package let to: Int32
    let need: Need
}
