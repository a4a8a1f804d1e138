// SPDX-License-Identifier: MIT

import RestEssentials

extension DigestField {
    func check(_ actual: Data, of name: String) throws(RestClientError) {
        guard actual == value else {
            throw RestClientError(
                .digestMismatch,
                "the \(algorithm.rawValue) digest of '\(name)' is not the one that was given; the bytes are dropped"
            )
        }
    }
}
