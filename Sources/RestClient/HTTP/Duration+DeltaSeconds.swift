// SPDX-License-Identifier: MIT

extension Duration {
    /// The time that an excessive number means.
    static let longestDelta = Duration.seconds(3_155_760_000)

    /// Parses a number of seconds (RFC 9111, section 1.2.2): digits only; an excessive number means a century.
    init?(deltaSeconds text: some StringProtocol) {
        guard FieldList.isNumber(text) else {
            return nil
        }
        self = Int64(text).map { min(.seconds($0), .longestDelta) } ?? .longestDelta
    }
}
