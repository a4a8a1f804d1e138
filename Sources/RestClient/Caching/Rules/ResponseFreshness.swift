// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The freshness lifetime of a response, and its source (RFC 9111, section 4.2.1).
struct ResponseFreshness: Sendable, Equatable {
    enum Basis: Sendable, Equatable {
        case maxAge
        /// `Expires` minus `Date`.
        case expires
        /// A tenth of the time since the last change (RFC 9111, section 4.2.2).
        case heuristic
        case ownTimeToLive
        case none
    }

    let lifetime: Duration
    let basis: Basis

    static let heuristicLimit = Duration.seconds(86_400)

    init(lifetime: Duration, basis: Basis) {
        self.lifetime = lifetime
        self.basis = basis
    }

    /// Returns the lifetime of a response.
    ///
    /// `s-maxage` applies to shared caches, and is ignored.
    init(status: HTTPResponse.Status, headers: HTTPFields, control: CacheControl, responseTime: Date) {
        var date: Date { Self.date(headers, .date, now: responseTime) ?? responseTime }
        switch control.seconds(.maxAge) {
        case .valid(let maxAge): self.init(lifetime: maxAge, basis: .maxAge)
        case .invalid: self.init(lifetime: .zero, basis: .none)
        case .absent where headers.contains(.expires):
            // An Expires that is not a date counts as past (RFC 9111, section 5.3).
            let expires = Self.date(headers, .expires, now: responseTime)
            let lifetime = expires.map { Duration.seconds(max(0, $0.timeIntervalSince(date))) }
            self.init(lifetime: lifetime ?? .zero, basis: lifetime == nil ? .none : .expires)
        case .absent:
            guard CacheableStatus.isHeuristicallyCacheable(status) || control.contains(.isPublic),
                let changed = Self.date(headers, .lastModified, now: responseTime), changed < date
            else {
                self.init(lifetime: .zero, basis: .none)
                return
            }
            let lifetime = Duration.seconds(date.timeIntervalSince(changed)) / 10
            self.init(lifetime: min(lifetime, Self.heuristicLimit), basis: .heuristic)
        }
    }

    /// Returns the age of a response (RFC 9111, section 4.2.3); never negative.
    static func age(of headers: HTTPFields, requestTime: Date, responseTime: Date, now: Date) -> Duration {
        initialAge(of: headers, requestTime: requestTime, responseTime: responseTime)
            + .seconds(max(0, now.timeIntervalSince(responseTime)))
    }

    static func initialAge(of headers: HTTPFields, requestTime: Date, responseTime: Date) -> Duration {
        let date = date(headers, .date, now: responseTime) ?? responseTime
        let apparentAge = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        let correctedAge = Duration.seconds(delay) + ageValue(headers)
        return max(.seconds(apparentAge), correctedAge)
    }

    /// Returns the value of `Age` (RFC 9111, section 5.1): the first of several; zero if it is not a number.
    private static func ageValue(_ headers: HTTPFields) -> Duration {
        guard let line = headers[values: .age].first, let first = FieldList.elements(of: line).first else {
            return .zero
        }
        return Duration(deltaSeconds: first) ?? .zero
    }

    /// Returns a date field; `nil` if it occurs several times.
    static func date(_ headers: HTTPFields, _ name: HTTPField.Name, now: Date) -> Date? {
        let lines = headers[values: name]
        return lines.count == 1 ? HTTPDate.date(lines[0], now: now) : nil
    }
}
