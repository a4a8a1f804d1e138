// SPDX-License-Identifier: MIT

import RestEssentials

extension PagePosition: MirroredByDescription {
    /// The position, with the secrets of a URL masked; of a cursor, which may be a token, only the length.
    ///
    /// The encoded form has the real value.
    public var description: String {
        switch self {
        case .start: "start"
        case .offset(let number): "offset(\(number))"
        case .number(let number): "number(\(number))"
        case .cursor(let text): "cursor(\(text.utf8.count) bytes)"
        case .url(let text): "url(\(MessageText.of(Redaction.url(text))))"
        }
    }
}
