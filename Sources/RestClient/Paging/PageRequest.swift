// SPDX-License-Identifier: MIT

struct PageRequest: Sendable, Hashable {
    let url: String

    let allowsPlainHTTP: Bool
}
