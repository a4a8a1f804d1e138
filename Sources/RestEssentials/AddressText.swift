// SPDX-License-Identifier: MIT

/// Addresses of IP as texts.
package enum AddressText {
    /// Returns the bytes of an address of IPv4 (4) or IPv6 (16), without brackets; `nil` for another text.
    package static func bytes(_ text: String) -> [UInt8]? {
        // The system's parser would take a NUL for the end of the text.
        guard !text.utf8.contains(0) else {
            return nil
        }
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            let result = unsafe bytes.withUnsafeMutableBytes { unsafe inet_pton(family, text, $0.baseAddress) }
            if result == 1 {
                return bytes
            }
        }
        return nil
    }
}
