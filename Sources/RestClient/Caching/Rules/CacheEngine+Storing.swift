// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension CacheEngine {
    /// Decides whether a response of the server is stored (RFC 9111, section 3).
    static func storing(
        _ request: CacheRequest,
        status: HTTPResponse.Status,
        headers: HTTPFields,
        count: Int,
        policy: CachePolicy
    ) -> CacheStoring {
        let control = CacheControl(headers)
        guard policy.storesDespiteNoStore || !request.control.contains(.noStore) else {
            return .leave(.requestForbids)
        }
        guard CacheableStatus.isFinal(status) else {
            return .leave(.status)
        }
        let isUnderstood = CacheableStatus.isUnderstood(status)
        if control.contains(.mustUnderstand), !isUnderstood {
            return .leave(.status)
        }
        // RFC 9111, section 5.2.2.3: no-store is for caches that do not know must-understand.
        let isForbidden = control.contains(.noStore) && !(control.contains(.mustUnderstand) && isUnderstood)
        guard policy.storesDespiteNoStore || !isForbidden else {
            return .leave(.serverForbids)
        }
        guard let names = SelectingFields.names(variedBy: headers) else {
            return .leave(.variesByAnything)
        }
        if let refusal = refusal(request, status, headers, control, count, policy) {
            return .leave(refusal)
        }
        return .store(variedBy: names)
    }

    private static func refusal(
        _ request: CacheRequest,
        _ status: HTTPResponse.Status,
        _ headers: HTTPFields,
        _ control: CacheControl,
        _ count: Int,
        _ policy: CachePolicy
    ) -> CacheRefusal? {
        guard policy.followsHTTP else {
            return status.kind == .successful && status != .partialContent ? nil : .status
        }
        let isRead = request.method.isRetrieval || policy.bodyKey != nil
        let isExplicit = control.contains(.maxAge) || headers.contains(.expires) || policy.timeToLive != nil
        // RFC 9110, section 9.3.3: the response to a POST may be reused for a GET if it has an explicit lifetime.
        guard isRead || (request.method == .post && isExplicit) else {
            return .method
        }
        if status == .partialContent {
            let isUnderstood = HeldBytes(status: status, headers: headers, count: count) != nil
            guard isRead, isUnderstood, !headers.contains(.contentEncoding), request.range != .none else {
                return .partial
            }
        }
        let isStorable =
            isExplicit || control.contains(.isPublic) || control.contains(.isPrivate)
            || CacheableStatus.isHeuristicallyCacheable(status)
        return isStorable ? nil : .status
    }

    /// Returns the stored head after the server confirmed it with a 304 (RFC 9111, section 4.3.4).
    ///
    /// - Returns: `nil` if the 304 refers to another state than the stored one.
    static func confirmed(
        _ stored: StoredHead,
        by headers: HTTPFields,
        requestTime: Date,
        responseTime: Date
    ) -> StoredHead? {
        guard Validators(stored.headers).areConfirmed(by: Validators(headers)) else {
            return nil
        }
        return stored.updated(by: headers, requestTime: requestTime, responseTime: responseTime)
    }

    /// Returns the stored head of a GET after the response to a HEAD (RFC 9111, section 4.3.5).
    static func informed(
        _ stored: StoredResponse,
        byHead status: HTTPResponse.Status,
        headers: HTTPFields,
        requestTime: Date,
        responseTime: Date
    ) -> StoredHead? {
        guard status == .ok, stored.head.status == .ok else {
            return nil
        }
        let validators = Validators(headers)
        let isSame =
            validators.entityTag == stored.validators.entityTag
            && validators.lastModified == stored.validators.lastModified
            && (headers[.contentLength].map { $0 == stored.head.headers[.contentLength] } ?? true)
        guard isSame else {
            var outdated = stored.head
            outdated.isInvalidated = true
            outdated.changedAt = requestTime
            return outdated
        }
        return stored.head.updated(by: headers, requestTime: requestTime, responseTime: responseTime)
    }

    /// Returns when the redirects that led to a response expire.
    ///
    /// - Returns: `nil` if one of them must not be reused at all, or was selected by request fields.
    static func limit(of redirects: [RedirectHop], requestTime: Date) -> Date? {
        var limit = Date.distantFuture
        for hop in redirects {
            let control = CacheControl(hop.headers)
            guard !control.contains(.noStore), !control.contains(.noCache), !hop.headers.contains(.vary) else {
                return nil
            }
            let freshness = ResponseFreshness(
                status: hop.status,
                headers: hop.headers,
                control: control,
                responseTime: hop.time
            )
            let age = ResponseFreshness.age(
                of: hop.headers,
                requestTime: requestTime,
                responseTime: hop.time,
                now: hop.time
            )
            guard freshness.lifetime > age else {
                return nil
            }
            limit = min(limit, hop.time.addingTimeInterval((freshness.lifetime - age) / .seconds(1)))
        }
        return limit
    }
}
