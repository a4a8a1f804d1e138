// SPDX-License-Identifier: MIT

/// A type with a form in the HTTP Archive format.
///
/// It is used instead of `Codable`, so that the types of an archive have no public coders.
protocol HARCodable: Sendable {
    init(from decoder: any Decoder) throws
    func encode(to encoder: any Encoder) throws
}
