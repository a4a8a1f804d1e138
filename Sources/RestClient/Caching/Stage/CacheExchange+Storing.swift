// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

extension CacheExchange {
    func finished(
        _ fetched: FetchedResponse,
        because reason: CacheMissReason,
        stored: StoredResponse?,
        whole: StoredResponse? = nil
    ) -> DecodedReply<Model> {
        var reply = CacheReply(response: fetched.response, explanation: CacheExplanation(.forwarded(reason)))
        reply.explanation.forwardedStatus = fetched.response.status.code
        switch storable(fetched) {
        case .leave(let refusal):
            reply.explanation.storing = .left(refusal)
        case .store(let new, let key):
            let extended = extended(stored, by: new, fetched)
            reply.explanation.storing = .stored
            reply.explanation.isInMemory = extended.isInMemory
            reply.write = write(.store(extended), under: key)
            reply.write?.informed = whole.flatMap { informed($0, by: fetched) }
        }
        return DecodedReply(reply: reply)
    }

    /// Returns the write to perform once the model has been decoded.
    func write(_ change: CacheWrite.Change, under key: CacheKey? = nil) -> CacheWrite {
        // The response to an unsafe request shows the state after the change.
        let moment = isRead ? moment : cache.responses.moment
        return CacheWrite(cache: cache.responses, key: key ?? self.key, moment: moment, change: change)
    }

    private enum Storable {
        case store(StoredResponse, CacheKey)
        case leave(CacheRefusal)
    }

    private func storable(_ fetched: FetchedResponse) -> Storable {
        let response = fetched.response
        let names: [String]
        switch CacheEngine.storing(
            facts,
            status: response.status,
            headers: fetched.headers,
            count: response.body.count,
            policy: policy
        ) {
        case .leave(let reason): return .leave(reason)
        case .store(let fields): names = fields
        }
        guard isRead || namesItsOwnURL(fetched) else {
            return .leave(.method)
        }
        guard policy.condition.allows?(response) ?? true else {
            return .leave(.unwanted)
        }
        let sent = sentRequest
        guard isWireKnown(names, sent.headers) else {
            return .leave(.altered)
        }
        let learnt = request.call.facts.request
        let limit = redirectLimit(of: fetched)
        guard limit != .distantPast else {
            return .leave(.redirect)
        }
        let head = StoredHead(
            bodyID: .random(in: .min ... .max),
            status: response.status,
            headers: StoredFields.storable(fetched.headers, control: CacheControl(fetched.headers)),
            method: isRead ? request.method : .get,
            requestURL: request.url,
            url: response.url,
            // The response to an unsafe request shows the state after the change.
            requestTime: isRead ? fetched.requestTime : fetched.responseTime,
            responseTime: fetched.responseTime,
            selecting: SelectingFields(
                names,
                of: sent.headers,
                secrets: request.call.policy.secretFields,
                digest: secret.digest
            ),
            requestedRange: response.status == .partialContent ? request.headers[.range] : nil,
            limit: limit
        )
        // A token without a user is part of the key.
        let isRenewed = learnt.sent != nil && learnt.sent != learnt.identity
        let key =
            isRead && !isRenewed ? key : CacheKey(isRead ? sent.method : .get, sent, as: learnt.sent, secret: secret)
        let new = StoredResponse(
            key: key.text,
            head: head,
            entry: CacheEntry(response.body, of: request.call, at: fetched.responseTime, timeToLive: policy.timeToLive),
            isInMemory: policy.isInMemory
        )
        return .store(new, key)
    }

    /// Returns true if the response to a POST declares itself equal to that to a GET of the same URL (RFC 9110, section
    /// 9.3.3).
    private func namesItsOwnURL(_ fetched: FetchedResponse) -> Bool {
        guard fetched.response.url == nil, let location = fetched.headers.reference(.contentLocation) else {
            return false
        }
        guard let base = try? HTTPURL(request.url), let named = try? HTTPURL(location, relativeTo: base) else {
            return false
        }
        return named.textForSending.utf8.elementsEqual(base.textForSending.utf8)
    }

    /// Returns true if the request was sent with the fields that the cache knows: no other user's token was set, and no
    /// attempt interceptor changed credentials or a field that `Vary` names.
    private func isWireKnown(_ names: [String], _ sent: HTTPFields) -> Bool {
        guard isOwnerKnown, let wire = request.call.facts.request.wire else {
            return isOwnerKnown
        }
        let secrets = request.call.policy.secretFields
        return SelectingFields(names, of: wire, secrets: secrets, digest: secret.digest)
            == SelectingFields(names, of: sent, secrets: secrets, digest: secret.digest)
    }

    // MARK: - Updating stored responses

    /// Returns when the redirects that led to a response expire; `nil` for never, the distant past if one of them must
    /// not be reused at all.
    private func redirectLimit(of fetched: FetchedResponse) -> Date? {
        let redirects = request.call.facts.request.redirects
        guard policy.followsHTTP, !redirects.isEmpty else {
            return nil
        }
        return CacheEngine.limit(of: redirects, requestTime: fetched.requestTime) ?? .distantPast
    }

    /// Returns true if a response says something about the stored one: the URL that responded is the same, and the
    /// redirects to it, if there are any, may be reused.
    ///
    /// Otherwise a server to which another one redirects, perhaps only for a moment, could confirm what it never sent.
    func isFromSource(of stored: StoredResponse, _ fetched: FetchedResponse) -> Bool {
        let source = stored.head.url ?? request.url
        return (fetched.response.url ?? request.url).utf8.elementsEqual(source.utf8)
            && redirectLimit(of: fetched) != .distantPast
    }

    /// Returns true if the request goes to the origin of the stored response, whose validators are for no other.
    func hasOwnOrigin(_ stored: StoredResponse) -> Bool {
        guard let source = stored.head.url else {
            return true
        }
        guard let source = try? HTTPURL(source), let own = try? HTTPURL(request.url) else {
            return false
        }
        return source.hasOrigin(of: own)
    }

    func confirmed(_ stored: StoredResponse, by fetched: FetchedResponse) -> StoredResponse? {
        var head = CacheEngine.confirmed(
            stored.head,
            by: fetched.headers,
            requestTime: fetched.requestTime,
            responseTime: fetched.responseTime
        )
        head?.limit = redirectLimit(of: fetched)
        guard let head else {
            return nil
        }
        var entry = stored.entry
        entry.storedAt = fetched.responseTime
        entry.expiresAt = CacheEntry.expiry(after: policy.timeToLive, from: fetched.responseTime)
        return StoredResponse(key: stored.key, head: head, entry: entry, isInMemory: staysInMemory(stored))
    }

    /// Returns true if a changed form of a stored response must not be written to the file.
    private func staysInMemory(_ stored: StoredResponse) -> Bool {
        stored.isInMemory || policy.isInMemory
    }

    private func informed(_ whole: StoredResponse, by fetched: FetchedResponse) -> StoredResponse? {
        guard isFromSource(of: whole, fetched) else {
            return nil
        }
        let head = CacheEngine.informed(
            whole,
            byHead: fetched.response.status,
            headers: fetched.headers,
            requestTime: fetched.requestTime,
            responseTime: fetched.responseTime
        )
        return head.map { head in
            StoredResponse(key: whole.key, head: head, entry: whole.entry, isInMemory: staysInMemory(whole))
        }
    }

    // MARK: - Combining parts

    /// Returns a new part combined with the stored one if both belong to the same bytes; otherwise the new response.
    private func extended(
        _ stored: StoredResponse?,
        by new: StoredResponse,
        _ fetched: FetchedResponse
    ) -> StoredResponse {
        guard new.head.status == .partialContent, let stored else {
            return new
        }
        return combined(stored, with: fetched) ?? new
    }

    /// Returns a stored response and a part from the server as one (RFC 9111, section 3.4); `nil` if they may belong to
    /// different bytes, or a gap remains between them.
    func combined(_ stored: StoredResponse, with fetched: FetchedResponse) -> StoredResponse? {
        let response = fetched.response
        let part = HeldBytes(status: response.status, headers: fetched.headers, count: response.body.count)
        guard isFromSource(of: stored, fetched),
            stored.head.status == .ok || stored.head.status == .partialContent,
            !stored.head.headers.contains(.contentEncoding), let held = stored.held, let part,
            let validator = stored.validators.strong(now: fetched.responseTime),
            Validators(fetched.headers).strong(now: fetched.responseTime) == validator,
            let (bytes, body) = HeldBytes.combined((held, stored.entry.body), (part, response.body))
        else {
            return nil
        }
        var head = stored.head.updated(
            by: fetched.headers,
            requestTime: fetched.requestTime,
            responseTime: fetched.responseTime
        )
        head.bodyID = .random(in: .min ... .max)
        head.limit = redirectLimit(of: fetched)
        head.requestedRange = nil
        head.status = bytes.isWhole ? .ok : .partialContent
        head.headers[.contentRange] = bytes.isWhole ? nil : bytes.contentRange(of: bytes.positions)
        head.headers[.contentLength] = String(body.count)
        return StoredResponse(
            key: stored.key,
            head: head,
            entry: CacheEntry(body, of: request.call, at: fetched.responseTime, timeToLive: policy.timeToLive),
            isInMemory: staysInMemory(stored)
        )
    }
}
