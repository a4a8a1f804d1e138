// SPDX-License-Identifier: MIT

import RestEssentials

/// Parses IP addresses.
enum IPAddress {
    /// Returns the four or sixteen bytes of an address in text form; `nil` if the text is not an address.
    static func bytes(of text: String) -> [UInt8]? {
        var version4 = in_addr()
        if unsafe inet_pton(AF_INET, text, &version4) == 1 {
            return unsafe withUnsafeBytes(of: version4) { bytes in unsafe Array(bytes) }
        }
        var version6 = in6_addr()
        if unsafe inet_pton(AF_INET6, text, &version6) == 1 {
            return unsafe withUnsafeBytes(of: version6) { bytes in unsafe Array(bytes) }
        }
        return nil
    }
}
