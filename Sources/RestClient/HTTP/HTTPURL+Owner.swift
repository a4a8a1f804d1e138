// SPDX-License-Identifier: MIT

extension HTTPURL {
    enum Owner: Hashable {
        case nobody
        case server(path: String)
        /// Readers of the URL disagree, see ``PathReading``.
        case unclear
    }

    /// Returns the server to which the URL belongs: that of the same origin whose path is the longest that precedes the
    /// URL's, by whole segments.
    ///
    /// What a server or a gateway takes for the path of another server must not receive the first one's token: where
    /// readers of the path may disagree about the server, the URL belongs to none. A server that has its origin for
    /// itself owns every path.
    func owner(among addresses: [HTTPURL]) -> Owner {
        let paths = Set(addresses.filter { hasOrigin(of: $0) }.map(\.path))
        guard paths != [""] else {
            return .server(path: "")
        }
        guard !paths.isEmpty else {
            return .nobody
        }
        let reading = PathReading(path)
        guard !reading.climbs else {
            return .unclear
        }
        let written = paths.filter { Self.isPath(path, below: $0) }.max { $0.utf8.count < $1.utf8.count }
        let read = paths.map { PathReading($0) }.filter { reading.segments.starts(with: $0.segments) }
            .max { $0.segments.count < $1.segments.count }
        guard written.map({ PathReading($0) }) == read else {
            return .unclear
        }
        return written.map { .server(path: $0) } ?? .nobody
    }

    /// Returns true if another URL belongs to the same server, or to none of the same origin, so that it may have what
    /// belongs to this one.
    func hasOwner(of other: HTTPURL, among addresses: [HTTPURL]) -> Bool {
        guard hasOrigin(of: other) else {
            return false
        }
        let owner = owner(among: addresses)
        return owner != .unclear && owner == other.owner(among: addresses)
    }

    private static func isPath(_ path: String, below base: String) -> Bool {
        path.utf8.starts(with: base.utf8)
            && (path.utf8.count == base.utf8.count || path.utf8.dropFirst(base.utf8.count).first == UInt8(ascii: "/"))
    }
}
