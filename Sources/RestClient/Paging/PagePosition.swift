// SPDX-License-Identifier: MIT

/// The place of a page in a listing, which can be kept and gone back to.
///
/// A cursor and a URL are kept as the server wrote them. Keep them like the listing itself: a URL may hold a signature.
public enum PagePosition: Sendable, Hashable {
    /// The first page, of which nothing is said in the request.
    case start
    /// The page whose first item has that number, counted from zero.
    case offset(Int)
    /// The page of that number.
    case number(Int)
    /// The page behind a mark that the server gave.
    case cursor(String)
    /// The page at a URL that the server gave.
    case url(String)
}

extension PagePosition: Codable {
    private enum CodingKeys: String, CodingKey {
        case start
        case offset
        case number
        case cursor
        case url
    }

    /// Reads a position, as in `{"offset": 100}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "this is not one position")
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

    /// Writes a position, as in `{"offset": 100}`.
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
