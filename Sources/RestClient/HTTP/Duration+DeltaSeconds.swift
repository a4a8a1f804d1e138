// SPDX-License-Identifier: MIT

extension Duration {
    /// Parses a number of seconds (RFC 9111, section 1.2.2): digits only; an excessive number means a century.
    init?(deltaSeconds text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let century: Int64 = 3_155_760_000
        self = .seconds(min(Int64(text) ?? century, century))
    }
}
