// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

extension CacheExchange {
    /// Returns the reply with the server's response, which is stored if it may be.
    func finished(
        _ fetched: FetchedResponse,
        because reason: CacheMissReason,
        stored: StoredResponse?,
        whole: StoredResponse? = nil
    ) -> CacheReply {
        var reply: CacheReply
        switch storing(fetched) {
        case .leave(let refusal):
            reply = self.reply(fetched.response, to: fetched, because: reason)
            reply.explanation.storing = .left(refusal)
        case .store(let names):
            var (new, key) = storedForm(of: fetched, variedBy: names)
            if new.head.status == .partialContent, let stored, let combined = combined(stored, with: fetched) {
                new = combined
            }
            reply = self.reply(fetched.response, to: fetched, because: reason, storing: new, under: key)
            reply.write?.informed = whole.flatMap { informed($0, by: fetched) }
        }
        return reply
    }

    /// Returns the reply to a request that was sent, with the response to store once its model has been decoded.
    func reply(
        _ response: RawResponse,
        to fetched: FetchedResponse,
        because reason: CacheMissReason,
        storing stored: StoredResponse? = nil,
        under key: CacheKey? = nil
    ) -> CacheReply {
        var reply = CacheReply(response: response, explanation: CacheExplanation(.forwarded(reason)))
        reply.explanation.forwardedStatus = fetched.response.status.code
        if let stored {
            reply.explanation.storing = .stored
            reply.explanation.isInMemory = stored.isInMemory
            reply.write = write(.store(stored), under: key)
        }
        return reply
    }

    /// Returns the write to perform once the model has been decoded.
    func write(_ change: CacheWrite.Change, under key: CacheKey? = nil) -> CacheWrite {
        // The response to an unsafe request shows the state after the change.
        let moment = isRead ? moment : cache.responses.moment
        return CacheWrite(cache: cache.responses, key: key ?? self.key, moment: moment, change: change)
    }

    private func storing(_ fetched: FetchedResponse) -> CacheStoring {
        let storing = CacheEngine.storing(facts, fetched, policy)
        guard case .store(let names) = storing else {
            return storing
        }
        guard isRead || namesItsOwnURL(fetched) else {
            return .leave(.method)
        }
        guard policy.condition.call?(fetched.response) ?? true else {
            return .leave(.unwanted)
        }
        guard isWireKnown(names, sentRequest.headers) else {
            return .leave(.altered)
        }
        return redirectLimit(of: fetched) == .distantPast ? .leave(.redirect) : storing
    }

    private func storedForm(
        of fetched: FetchedResponse,
        variedBy names: [String]
    ) -> (response: StoredResponse, key: CacheKey) {
        let response = fetched.response
        let sent = sentRequest
        let head = StoredHead(
            bodyID: .random(in: .min ... .max),
            // It shows the state to a later GET, whatever the change did to it.
            status: !isRead && response.status == .created ? .ok : response.status,
            headers: StoredFields.storable(fetched.headers, control: CacheControl(fetched.headers)),
            method: isRead ? request.method : .get,
            requestURL: request.url,
            url: response.url,
            // The response to an unsafe request shows the state after the change.
            requestTime: isRead ? fetched.requestTime : fetched.responseTime,
            responseTime: fetched.responseTime,
            selecting: selecting(names, of: sent.headers),
            requestedRange: response.status == .partialContent ? request.headers[.range] : nil,
            limit: redirectLimit(of: fetched),
            isInvalidated: !isRead && CacheEngine.written(request.method, fetched, policy) == .onceConfirmed
        )
        // A token without a user is part of the key.
        let learnt = request.call.facts.request
        let isRenewed = learnt.sent != nil && learnt.sent != learnt.identity
        let key =
            isRead && !isRenewed ? key : CacheKey(isRead ? sent.method : .get, sent, as: learnt.sent, secret: secret)
        let entry = CacheEntry(response.body, of: request.call, at: fetched.responseTime, timeToLive: policy.timeToLive)
        return (StoredResponse(key: key.text, head: head, entry: entry, isInMemory: policy.isInMemory), key)
    }

    /// Returns true if the response to a request that changes something declares that its body is the new state of the
    /// resource, as a GET of the same URL would return it (RFC 9110, sections 8.7 and 9.3.3).
    private func namesItsOwnURL(_ fetched: FetchedResponse) -> Bool {
        guard fetched.response.url == nil, let location = fetched.headers.reference(.contentLocation),
            let base = try? HTTPURL(request.url), let named = try? HTTPURL(location, relativeTo: base)
        else {
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
        return selecting(names, of: wire) == selecting(names, of: sent)
    }

    private func selecting(_ names: [String], of headers: HTTPFields) -> SelectingFields {
        SelectingFields(names, of: headers, secrets: request.call.policy.secretFields, digest: secret.digest)
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
        guard let url = stored.head.url else {
            return true
        }
        guard let source = try? HTTPURL(url), let own = try? HTTPURL(request.url) else {
            return false
        }
        return source.hasOrigin(of: own)
    }

    func confirmed(_ stored: StoredResponse, by fetched: FetchedResponse) -> StoredResponse? {
        guard var head = CacheEngine.confirmed(stored.head, by: fetched) else {
            return nil
        }
        head.limit = redirectLimit(of: fetched)
        var entry = stored.entry
        entry.storedAt = fetched.responseTime
        entry.expiresAt = CacheEntry.expiry(after: policy.timeToLive, from: fetched.responseTime)
        return changed(stored, head, entry)
    }

    private func informed(_ whole: StoredResponse, by fetched: FetchedResponse) -> StoredResponse? {
        guard isFromSource(of: whole, fetched) else {
            return nil
        }
        return CacheEngine.informed(whole, by: fetched).map { changed(whole, $0, whole.entry) }
    }

    /// Returns a changed form of a stored response, which is written to the file only if both may be.
    private func changed(_ stored: StoredResponse, _ head: StoredHead, _ entry: CacheEntry) -> StoredResponse {
        StoredResponse(key: stored.key, head: head, entry: entry, isInMemory: stored.isInMemory || policy.isInMemory)
    }

    /// Returns a stored response and a part from the server as one (RFC 9111, section 3.4); `nil` if they may belong to
    /// different bytes, or a gap remains between them.
    func combined(_ stored: StoredResponse, with fetched: FetchedResponse) -> StoredResponse? {
        guard isFromSource(of: stored, fetched),
            stored.head.status == .ok || stored.head.status == .partialContent,
            !stored.head.headers.contains(.contentEncoding), let held = stored.held, let part = fetched.held,
            let validator = stored.validators.strong(now: fetched.responseTime),
            Validators(fetched.headers).strong(now: fetched.responseTime) == validator,
            let (bytes, body) = HeldBytes.combined((held, stored.entry.body), (part, fetched.response.body))
        else {
            return nil
        }
        var head = stored.head.updated(by: fetched)
        head.bodyID = .random(in: .min ... .max)
        head.limit = redirectLimit(of: fetched)
        head.requestedRange = nil
        head.status = bytes.isWhole ? .ok : .partialContent
        head.headers[.contentRange] = bytes.isWhole ? nil : bytes.contentRange(of: bytes.positions)
        head.headers[.contentLength] = String(body.count)
        let entry = CacheEntry(body, of: request.call, at: fetched.responseTime, timeToLive: policy.timeToLive)
        return changed(stored, head, entry)
    }
}
