// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension CacheEngine {
    /// Decides whether a response of the server is stored (RFC 9111, section 3).
    static func storing(
        _ request: CacheRequest,
        _ fetched: FetchedResponse,
        _ policy: CachePolicy
    ) -> CacheStoring {
        let control = CacheControl(fetched.headers)
        guard policy.storesDespiteNoStore || !request.control.contains(.noStore) else {
            return .leave(.requestForbids)
        }
        let status = fetched.response.status
        let isUnderstood = CacheableStatus.isUnderstood(status)
        guard CacheableStatus.isFinal(status), isUnderstood || !control.contains(.mustUnderstand) else {
            return .leave(.status)
        }
        // RFC 9111, section 5.2.2.3: no-store is for caches that do not know must-understand.
        let isForbidden = control.contains(.noStore) && !control.contains(.mustUnderstand)
        guard policy.storesDespiteNoStore || !isForbidden else {
            return .leave(.serverForbids)
        }
        guard let names = SelectingFields.names(variedBy: fetched.headers) else {
            return .leave(.variesByAnything)
        }
        return refusal(request, fetched, control, policy).map(CacheStoring.leave) ?? .store(variedBy: names)
    }

    private static func refusal(
        _ request: CacheRequest,
        _ fetched: FetchedResponse,
        _ control: CacheControl,
        _ policy: CachePolicy
    ) -> CacheRefusal? {
        let (status, headers) = (fetched.response.status, fetched.headers)
        guard policy.followsHTTP else {
            return status.kind == .successful && status != .partialContent ? nil : .status
        }
        let isRead = request.method.isRetrieval || policy.bodyKey != nil
        let isExplicit = statesLifetime(control, headers, policy)
        if !isRead {
            return written(request.method, fetched, policy) == nil ? .method : nil
        }
        if status == .partialContent {
            let isUnderstood = fetched.held != nil
            guard isUnderstood, !headers.contains(.contentEncoding), request.range != .none else {
                return .partial
            }
        }
        let isStorable =
            isExplicit || control.contains(.isPublic) || control.contains(.isPrivate)
            || CacheableStatus.isHeuristicallyCacheable(status)
        return isStorable ? nil : .status
    }

    private static func statesLifetime(
        _ control: CacheControl,
        _ headers: HTTPFields,
        _ policy: CachePolicy
    ) -> Bool {
        control.contains(.maxAge) || headers.contains(.expires) || policy.timeToLive != nil
    }

    /// Returns the use that a later GET may make of the response to a request that changes something, if its body is
    /// the new state of the resource; `nil` for none.
    ///
    /// A response to POST or PATCH with an explicit lifetime may be reused (RFC 9110, section 9.3.3; RFC 5789, section
    /// 2). Other responses to PATCH, and all to PUT, are not cacheable (RFC 9110, section 9.3.4). What they contain may
    /// be kept as a copy of the state (section 8.7): here, only to be used once the server confirms its entity tag, for
    /// which a date is too coarse, because others may write within the same second.
    static func written(
        _ method: HTTPRequest.Method,
        _ fetched: FetchedResponse,
        _ policy: CachePolicy
    ) -> WrittenUse? {
        let (status, headers) = (fetched.response.status, fetched.headers)
        guard status.kind == .successful, status != .partialContent else {
            return nil
        }
        if method == .post || method == .patch, statesLifetime(CacheControl(headers), headers, policy) {
            return .reusable
        }
        guard method == .put || method == .patch, status == .ok || status == .created,
            !fetched.response.body.isEmpty, Validators(headers).tag != nil
        else {
            return nil
        }
        return .onceConfirmed
    }

    /// Returns the stored head after a 304 (RFC 9111, section 4.3.4); `nil` if that refers to another state.
    static func confirmed(_ stored: StoredHead, by fetched: FetchedResponse) -> StoredHead? {
        let isSame = Validators(stored.headers).areConfirmed(by: Validators(fetched.headers))
        return isSame ? stored.updated(by: fetched) : nil
    }

    /// Returns the stored head of a GET after the response to a HEAD (RFC 9111, section 4.3.5).
    static func informed(_ stored: StoredResponse, by fetched: FetchedResponse) -> StoredHead? {
        guard fetched.response.status == .ok, stored.head.status == .ok else {
            return nil
        }
        let headers = fetched.headers
        let validators = Validators(headers)
        let isSame =
            validators.entityTag == stored.validators.entityTag
            && validators.lastModified == stored.validators.lastModified
            && (headers[.contentLength].map { $0 == stored.head.headers[.contentLength] } ?? true)
        guard isSame else {
            var outdated = stored.head
            outdated.isInvalidated = true
            outdated.changedAt = fetched.requestTime
            return outdated
        }
        return stored.head.updated(by: fetched)
    }

    /// Returns when the redirects that led to a response expire; `nil` if one of them must not be reused at all, or was
    /// selected by request fields.
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

/// The use of the response to a request that changes something.
enum WrittenUse {
    /// It may be reused as long as it is fresh.
    case reusable
    /// It may be used once the server has confirmed that it is still the state.
    case onceConfirmed
}

/// A response of the server, with the times of its request and its arrival.
struct FetchedResponse: Sendable {
    let response: RawResponse
    /// The fields of the response, read from it once.
    let headers: HTTPFields
    let requestTime: Date
    let responseTime: Date

    init(_ response: RawResponse, requestTime: Date, responseTime: Date) {
        self.response = response
        headers = response.headers
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    var held: HeldBytes? { HeldBytes(status: response.status, headers: headers, count: response.body.count) }
}
