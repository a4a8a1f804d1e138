// SPDX-License-Identifier: MIT

/// The fallbacks of a call, in the order in which they are tried.
struct FallbackChain: Sendable {
    let fallbacks: [Fallback]
    let condition: @Sendable (RestClientError) -> Bool

    /// Returns true if the chain is used after an error: never after a cancellation or an error of the user's code.
    func isUsed(after error: any Error) -> Bool {
        guard let error = error as? RestClientError else {
            return false
        }
        return condition(error)
    }
}

extension FallbackChain: CustomStringConvertible {
    var description: String { fallbacks.map(\.description).joined(separator: ", then ") }
}
