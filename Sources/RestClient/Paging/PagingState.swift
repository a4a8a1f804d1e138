// SPDX-License-Identifier: MIT

import RestEssentials

/// The position in a listing, which can be stored and resumed, even by another process.
public struct PagingState: Sendable, Hashable, Codable {
    /// The position of the first page that was not delivered; `nil` at the end.
    public var position: PagePosition?

    /// The number of delivered pages, and of responses without content that linked to the next one.
    public var pageCount: Int

    /// The number of delivered items.
    public var itemCount: Int

    /// Creates a state.
    ///
    /// - Parameters:
    ///   - position: The position of the next page.
    ///   - pageCount: The number of delivered pages.
    ///   - itemCount: The number of delivered items.
    public init(position: PagePosition?, pageCount: Int = 0, itemCount: Int = 0) {
        self.position = position
        self.pageCount = pageCount
        self.itemCount = itemCount
    }
}

extension PagingState: MirroredByDescription {
    /// The position and the counts, with the secrets of a URL masked.
    ///
    /// The encoded form has the real values.
    public var description: String {
        "\(position?.description ?? "the end") after \(pageCount) pages with \(itemCount) items"
    }
}

/// The position of a page in a listing, which can be stored and resumed.
///
/// A cursor and a URL are kept as the server sent them. Protect them like the listing itself: a URL may contain a
/// signature.
public enum PagePosition: Sendable, Hashable {
    /// The first page, for which the request has no parameters.
    case start
    /// The page whose first item has this number, counted from zero.
    case offset(Int)
    /// The page with this number.
    case number(Int)
    /// The page after a cursor from the server.
    case cursor(String)
    /// The page at a URL from the server.
    case url(String)
}

extension PagePosition: Codable {
    private enum CodingKeys: String, CodingKey {
        case start, offset, number, cursor, url
    }

    /// Decodes a position, as in `{"offset": 100}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "expected exactly one position")
            )
        }
        switch key {
        case .start: self = .start
        case .offset: self = .offset(try container.decode(Int.self, forKey: key))
        case .number: self = .number(try container.decode(Int.self, forKey: key))
        case .cursor: self = .cursor(try container.decode(String.self, forKey: key))
        case .url: self = .url(try container.decode(String.self, forKey: key))
        }
    }

    /// Encodes a position, as in `{"offset": 100}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .start: try container.encode(true, forKey: .start)
        case .offset(let number): try container.encode(number, forKey: .offset)
        case .number(let number): try container.encode(number, forKey: .number)
        case .cursor(let text): try container.encode(text, forKey: .cursor)
        case .url(let text): try container.encode(text, forKey: .url)
        }
    }
}

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
