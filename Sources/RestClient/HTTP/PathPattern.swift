// SPDX-License-Identifier: MIT

/// The inverse of a path template: matches paths, and extracts the values of the placeholders.
///
/// Segments are compared one by one. `{name}` matches exactly one segment, including the text around the placeholder;
/// `{+name}` and `{/name*}` match the whole rest. Query placeholders of the template are ignored.
package struct PathPattern: Sendable, Hashable {
    package enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(name: String, prefix: String, suffix: String)
        case rest(name: String)

        /// The rank of the segment: the smaller, the more specific.
        var rank: Int {
            switch self {
            case .literal: 0
            case .parameter(_, let prefix, let suffix): prefix.isEmpty && suffix.isEmpty ? 2 : 1
            case .rest: 3
            }
        }
    }

    package let segments: [Segment]

    package init(_ template: PathTemplate) {
        guard case .success(let parts) = template.parts else {
            segments = [.literal(template.source)]
            return
        }
        var segments: [Segment] = []
        var (prefix, name, suffix) = ("", nil as String?, "")
        func endSegment() {
            if let name {
                segments.append(.parameter(name: name, prefix: prefix, suffix: suffix))
            } else if !prefix.isEmpty {
                segments.append(.literal(prefix))
            }
            (prefix, name, suffix) = ("", nil, "")
        }
        reading: for part in parts {
            switch part {
            case .literal(let literal):
                let path = literal.prefix { $0 != "?" && $0 != "#" }
                for (index, piece) in path.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
                    if index > 0 {
                        endSegment()
                    }
                    if name == nil {
                        prefix += piece
                    } else {
                        suffix += piece
                    }
                }
                if path.endIndex != literal.endIndex {
                    break reading
                }
            case .expression(let expression):
                let variable = expression.variables.first?.name ?? ""
                switch expression.kind {
                case .simple, .label, .matrix: name = variable
                case .reserved, .segment:
                    endSegment()
                    segments.append(.rest(name: variable))
                    break reading
                case .query, .queryContinuation, .fragment: break reading
                }
            }
        }
        endSegment()
        self.segments = segments
    }

    /// Returns the values of the placeholders, decoded; `nil` if the path does not match.
    package func match(_ path: some StringProtocol) -> [String: String]? {
        // By bytes: a mark behind a slash would make another character of it.
        var rest = Substring(path).utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }[...]
        var values: [String: String] = [:]
        for segment in segments {
            if case .rest(let name) = segment {
                guard !rest.isEmpty else {
                    return nil
                }
                values[name] = PercentEncoding.decode(rest.joined(separator: "/"))
                return values
            }
            guard let text = rest.popFirst() else {
                return nil
            }
            switch segment {
            case .literal(let literal):
                guard PercentEncoding.decode(text).utf8.elementsEqual(PercentEncoding.decode(literal).utf8) else {
                    return nil
                }
            case .parameter(let name, let prefix, let suffix):
                guard text.utf8.starts(with: prefix.utf8), text.utf8.reversed().starts(with: suffix.utf8.reversed()),
                    text.utf8.count > prefix.utf8.count + suffix.utf8.count
                else {
                    return nil
                }
                let value = text.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
                values[name] = PercentEncoding.decode(Substring(value))
            case .rest:
                return nil
            }
        }
        return rest.isEmpty ? values : nil
    }

    /// Returns the pattern with its placeholders replaced by the path's segments, for a comparison that ignores
    /// placeholders.
    func lookalike(of path: some StringProtocol) -> String {
        let pieces = Substring(path).utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
        return segments.enumerated()
            .map { index, segment in
                switch segment {
                case .literal(let text): "/" + text
                case .parameter: "/" + (index < pieces.count ? String(pieces[index]) : "*")
                case .rest: "/" + pieces.dropFirst(index).joined(separator: "/")
                }
            }
            .joined()
    }

    /// Returns true if this pattern is more specific than another: the first segment that differs in kind decides;
    /// `nil` if none does.
    package func isMoreSpecific(than other: PathPattern) -> Bool? {
        for (own, others) in zip(segments, other.segments) where own.rank != others.rank {
            return own.rank < others.rank
        }
        return nil
    }
}
