// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import Synchronization

/// Keeps the cookies that servers set, and sends them back (RFC 6265).
///
/// ```swift
/// manager.options = manager.options.cookies(CookieJar())
/// ```
///
/// A jar may serve several managers, servers or calls. Its cookies live in memory; to keep them, store ``cookies`` in
/// sealed shared data and create the next jar with them.
///
/// Within a scope of dummies or of a recording, the jar has a separate state, which begins with the cookies outside.
public final class CookieJar: Sendable {
    private let store: Mutex<CookieStore>
    private let now: @Sendable () -> Date

    /// Creates a jar.
    ///
    /// - Parameters:
    ///   - cookies: The cookies that are in it; none by default.
    ///   - suffixes: The domains for which no server may set cookies.
    public convenience init(_ cookies: [Cookie] = [], publicSuffixes suffixes: PublicSuffixes = .common) {
        self.init(cookies, suffixes) { Date() }
    }

    init(_ cookies: [Cookie] = [], _ suffixes: PublicSuffixes = .common, now: @escaping @Sendable () -> Date) {
        var store = CookieStore(suffixes)
        store.set(cookies, at: now())
        self.store = Mutex(store)
        self.now = now
    }

    private init(copying jar: CookieJar) {
        store = Mutex(jar.store.withLock { $0 })
        now = jar.now
    }

    /// Returns the state of the jar in a scope; the jar itself outside of scopes.
    func inside(_ isolation: CallIsolation?) -> CookieJar {
        isolation?.state(of: self) { CookieJar(copying: inside(isolation?.base)) } ?? self
    }

    /// The cookies, the oldest first, those that have expired left out.
    public var cookies: [Cookie] {
        let now = now()
        return inside(.current).store.withLock { $0.cookies }.filter { !$0.hasExpired(at: now) }
    }

    /// Puts a cookie into the jar; one with the same name, domain and path is replaced.
    ///
    /// - Parameter cookie: The cookie.
    public func set(_ cookie: Cookie) {
        let now = now()
        inside(.current).store.withLock { $0.set([cookie], at: now) }
    }

    /// Removes cookies, for example at a sign-out.
    ///
    /// - Parameter isUnwanted: Returns true for a cookie to remove; all are removed by default.
    public func removeAll(where isUnwanted: (Cookie) -> Bool = { _ in true }) {
        inside(.current).store.withLock { $0.removeAll(where: isUnwanted) }
    }

    func field(for url: String) throws(RestClientError) -> String? {
        guard let url = try? HTTPURL(sent: url) else {
            return nil
        }
        let now = now()
        return try store.withLock { store throws(RestClientError) in try store.field(for: url, at: now) }
    }

    func take(_ fields: [String], from url: String) {
        guard !fields.isEmpty, let url = try? HTTPURL(sent: url) else {
            return
        }
        let now = now()
        store.withLock { $0.take(fields, from: url, at: now) }
    }
}

/// Decides which cookies are kept and sent (RFC 6265, sections 5.3 and 5.4), without I/O.
struct CookieStore {
    /// The most cookies of one domain, and of all.
    private static let domainLimit = 180
    private static let limit = 3_000
    /// The most cookies and bytes of a `Cookie` field: those of curl, because most servers refuse more.
    private static let fieldLimit = 150
    private static let fieldSizeLimit = 8_190

    private struct Entry {
        var cookie: Cookie
        /// The site of its domain, which shares the jar with others.
        let site: String
        /// A number that grows with each new cookie; one that replaces another keeps its number.
        let number: UInt64
    }

    private let suffixes: PublicSuffixes
    private var entries: [Cookie.Key: Entry] = [:]
    private var lastNumber: UInt64 = 0

    init(_ suffixes: PublicSuffixes) {
        self.suffixes = suffixes
    }

    /// The cookies, the oldest first.
    var cookies: [Cookie] { entries.values.sorted { $0.number < $1.number }.map(\.cookie) }

    // MARK: - Sending

    /// Returns the `Cookie` field of a request; `nil` if it has none.
    ///
    /// Other hosts of a domain may set more than a server takes: the host's own come first, then the older ones.
    func field(for url: HTTPURL, at now: Date) throws(RestClientError) -> String? {
        let sent = Self.fitting(entries.values.filter { $0.cookie.matches(url, at: now) })
            .sorted { ($1.cookie.path.utf8.count, $0.number) < ($0.cookie.path.utf8.count, $1.number) }
        guard !sent.isEmpty else {
            return nil
        }
        guard sent.allSatisfy(\.cookie.isWellFormed) else {
            throw RestClientError(
                .invalidHeader,
                "a cookie for '\(url.bareHost)' has a semicolon or a control character, or an equals sign in its name; "
                    + "encode them"
            )
        }
        return sent.map { "\($0.cookie.name)=\($0.cookie.value)" }.joined(separator: "; ")
    }

    private static func fitting(_ entries: [Entry]) -> [Entry] {
        func size(_ entry: Entry) -> Int { entry.cookie.name.utf8.count + entry.cookie.value.utf8.count + 3 }
        guard entries.count > fieldLimit || entries.reduce(0, { $0 + size($1) }) > fieldSizeLimit else {
            return entries
        }
        var room = fieldSizeLimit
        var fitting: [Entry] = []
        let sorted = entries.sorted {
            ($1.cookie.isHostOnly ? 1 : 0, $0.number) < ($0.cookie.isHostOnly ? 1 : 0, $1.number)
        }
        for entry in sorted where size(entry) <= room && fitting.count < fieldLimit {
            room -= size(entry)
            fitting.append(entry)
        }
        return fitting
    }

    // MARK: - Receiving

    mutating func take(_ texts: [String], from url: HTTPURL, at now: Date) {
        for text in texts {
            take(text, from: url, at: now)
        }
        makeRoom(at: now)
    }

    private mutating func take(_ text: String, from url: HTTPURL, at now: Date) {
        guard let field = SetCookieField(text, at: now), let cookie = cookie(field, from: url) else {
            return
        }
        // A server without TLS must not replace what one with TLS has set.
        let isShadowed =
            !Cookie.isTrusted(url)
            && entries.values.contains { entry in
                let other = entry.cookie
                return other.isSecure && other.key.name == cookie.key.name && Cookie.isPath(other.path, of: cookie.path)
                    && (Cookie.isDomain(other.domain, of: cookie.domain)
                        || Cookie.isDomain(cookie.domain, of: other.domain))
            }
        guard !isShadowed else {
            return
        }
        put(cookie, at: now)
    }

    /// Keeps cookies; one that has expired removes the one that it replaces.
    mutating func set(_ cookies: [Cookie], at now: Date) {
        for cookie in cookies {
            put(cookie, at: now)
        }
        makeRoom(at: now)
    }

    private mutating func put(_ cookie: Cookie, at now: Date) {
        guard !cookie.hasExpired(at: now) else {
            entries[cookie.key] = nil
            return
        }
        if let old = entries[cookie.key] {
            entries[cookie.key] = Entry(cookie: cookie, site: old.site, number: old.number)
            return
        }
        lastNumber += 1
        entries[cookie.key] = Entry(cookie: cookie, site: suffixes.site(of: cookie.domain), number: lastNumber)
        // Room is made for many at once, since all cookies are looked at for it.
        if entries.count > 2 * Self.limit {
            makeRoom(at: now)
        }
    }

    mutating func removeAll(where isUnwanted: (Cookie) -> Bool) {
        entries = entries.filter { !isUnwanted($0.value.cookie) }
    }

    /// Returns the cookie of a field; `nil` if its server must not set it.
    private func cookie(_ field: SetCookieField, from url: HTTPURL) -> Cookie? {
        let host = HTTPURL.withoutFinalDot(url.bareHost)
        var domain = field.domain
        if let named = domain, suffixes.contains(named) {
            guard named == host else {
                return nil
            }
            domain = nil
        }
        if let domain, !Cookie.isDomain(domain, of: host) {
            return nil
        }
        let path = field.path ?? Self.defaultPath(of: url)
        let isHostOnly = domain == nil || Cookie.isAddress(host)
        guard Cookie.isTrusted(url) || !field.isSecure else {
            return nil
        }
        let name = field.name.utf8.prefix(9).map { $0 | 0x20 }
        guard !name.starts(with: Self.secureName) || field.isSecure,
            !name.starts(with: Self.hostName) || (field.isSecure && field.domain == nil && field.path == "/")
        else {
            return nil
        }
        return Cookie(
            field.name,
            field.value,
            domain: domain ?? host,
            path: path,
            expires: field.expires,
            isSecure: field.isSecure,
            isHostOnly: isHostOnly
        )
    }

    // The bit that makes letters small makes an underscore DEL.
    private static let secureName = "__secure-".utf8.map { $0 | 0x20 }
    private static let hostName = "__host-".utf8.map { $0 | 0x20 }

    /// Returns the path of a cookie whose field names none: that of the request, up to its last slash.
    private static func defaultPath(of url: HTTPURL) -> String {
        guard let slash = url.path.lastIndex(of: "/"), slash > url.path.startIndex else {
            return "/"
        }
        return String(url.path[..<slash])
    }

    // MARK: - Limits

    /// Removes what is beyond the limits (RFC 6265, section 5.3): cookies that have expired, then the oldest ones.
    private mutating func makeRoom(at now: Date) {
        guard entries.count > Self.limit || hasFullDomain else {
            return
        }
        var kept = entries.values.filter { !$0.cookie.hasExpired(at: now) }.sorted { $0.number > $1.number }
        kept = zip(kept, Self.places(of: kept) { $0.cookie.key.domain })
            .filter { $0.1 < Self.domainLimit }
            .map(\.0)
        if kept.count > Self.limit {
            // The sites with few cookies keep them, however many the others set.
            kept = zip(kept, Self.places(of: kept) { RowKey($0.site) })
                .sorted { ($0.1, $1.0.number) < ($1.1, $0.0.number) }
                .prefix(Self.limit)
                .map(\.0)
        }
        entries = Dictionary(kept.map { ($0.cookie.key, $0) }) { first, _ in first }
    }

    private var hasFullDomain: Bool {
        guard entries.count > Self.domainLimit else {
            return false
        }
        var counts: [RowKey: Int] = [:]
        for key in entries.keys {
            counts[key.domain, default: 0] += 1
        }
        return counts.values.contains { $0 > Self.domainLimit }
    }

    private static func places(of entries: [Entry], by group: (Entry) -> RowKey) -> [Int] {
        var counts: [RowKey: Int] = [:]
        return entries.map { entry in
            let name = group(entry)
            let place = counts[name, default: 0]
            counts[name] = place + 1
            return place
        }
    }
}
