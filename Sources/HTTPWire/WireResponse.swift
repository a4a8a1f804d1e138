// SPDX-License-Identifier: MIT

package import RestEssentials

/// A whole response.
package struct WireResponse: Sendable {
    /// The head.
    package let head: HeadBytes
    /// The body, with its content codings.
    package let body: Data
    /// The heads of the interim responses before this one.
    package let interim: [HeadBytes]
    /// The instants of the exchange.
    package let times: WireTimes
    /// A Boolean value that is true if the body has a content coding.
    package let hasContentCoding: Bool
    /// A Boolean value that is true if bytes came behind the end of the response, which belong to nothing.
    package let hasSurplus: Bool
}
