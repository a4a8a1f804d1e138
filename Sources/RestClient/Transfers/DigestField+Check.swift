// SPDX-License-Identifier: MIT

import RestEssentials

extension DigestField {
    /// Throws if some bytes have another digest than this one.
    ///
    /// - Parameters:
    ///   - actual: Their digest by the same algorithm.
    ///   - name: The name of the file, or what else the message calls the bytes.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/digestMismatch``.
    func check(_ actual: Data, of name: String) throws(RestClientError) {
        guard actual == value else {
            throw RestClientError(
                .digestMismatch,
                "the \(algorithm.rawValue) digest of '\(name)' is not the one that was given; the bytes are dropped"
            )
        }
    }
}
