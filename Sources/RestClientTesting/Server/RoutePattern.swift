// SPDX-License-Identifier: MIT

/// A path with placeholders: `/users/{id}` takes any one segment for `id`, `/files/{path*}` all the rest.
struct RoutePattern: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        case literal(String)
        case placeholder(String)
        case rest(String)

        /// Words before placeholders before the rest.
        var rank: Int {
            switch self {
            case .literal: 0
            case .placeholder: 1
            case .rest: 2
            }
        }
    }

    let segments: [Segment]

    init(_ pattern: String) {
        segments = Self.split(pattern)
            .map { segment in
                guard segment.hasPrefix("{"), segment.hasSuffix("}") else {
                    return .literal(segment)
                }
                let name = segment.dropFirst().dropLast()
                return name.hasSuffix("*") ? .rest(String(name.dropLast())) : .placeholder(String(name))
            }
    }

    /// What the placeholders stand for in a path as it was sent; `nil` when the path does not fit.
    func match(_ path: String) -> [String: String]? {
        var parts = Self.split(path)[...]
        var parameters: [String: String] = [:]
        for segment in segments {
            if case .rest(let name) = segment {
                parameters[name] = parts.map { part in PercentCoding.decode(part) }.joined(separator: "/")
                return parameters
            }
            guard let part = parts.popFirst() else {
                return nil
            }
            let decoded = PercentCoding.decode(part)
            switch segment {
            case .literal(let word) where word != decoded: return nil
            case .placeholder(let name): parameters[name] = decoded
            default: break
            }
        }
        return parts.isEmpty ? parameters : nil
    }

    /// Whether this pattern says more than another, so that it is tried first.
    func isMoreSpecific(than other: Self) -> Bool {
        for (mine, theirs) in zip(segments, other.segments) where mine.rank != theirs.rank {
            return mine.rank < theirs.rank
        }
        return segments.count > other.segments.count
    }

    /// A path's segments; a slash at its end makes an empty one, so that it counts.
    private static func split(_ path: String) -> [String] {
        let trimmed = path.hasPrefix("/") ? path.dropFirst() : path[...]
        return trimmed.isEmpty
            ? [] : trimmed.split(separator: "/", omittingEmptySubsequences: false).map { part in String(part) }
    }
}
