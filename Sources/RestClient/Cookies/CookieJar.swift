// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
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
/// Within a scope of dummies or of a recording, the jar has a state of its own, which begins with the cookies outside.
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
