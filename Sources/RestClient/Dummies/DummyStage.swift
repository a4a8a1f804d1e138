// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import Synchronization

struct DummyStage: Interceptor {
    let hub: EventHub
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        guard let lookup = request.call.policy.dummies else {
            return try await next(request)
        }
        return try await request.call.waits { try await respond(to: request, by: lookup, next) }
    }

    private func respond(
        to request: OutgoingRequest,
        by lookup: DummyLookup,
        _ next: Next
    ) async throws -> RawResponse {
        let call = request.call
        let context = DummyContext(directory: lookup.directory, prefix: call.policy.prefix)
        var seen = DummyRequest(
            method: request.method,
            url: request.url,
            headers: request.headers,
            body: try await request.body?.collected(),
            api: call.api
        )
        seen.secretFields = call.policy.secretFields
        seen.coding = call.prepared.coding
        let reply: DummyReply
        do throws(DummyLookup.Unmatched) {
            reply = try lookup.reply(to: seen, context)
        } catch {
            hub.emit(.dummyUnmatched, call)
            guard let nearest = error.nearest else {
                return try await next(request)
            }
            throw RestClientError(
                .dummyNotFound,
                "dummies are strict and none matches \(request.method.rawValue) \(Redaction.url(request.url)); "
                    + nearest
            )
        }
        hub.emit(.dummyMatched(reply.responder.id), call)
        if let origin = call.policy.origin {
            WorkOrigin.note(origin)
        }
        if reply.isImmediate {
            return try await play(reply, call.policy)
        }
        return try await clock.limit(to: call) { try await play(reply, call.policy) }
    }

    private func play(_ reply: DummyReply, _ policy: CallPolicy) async throws -> RawResponse {
        var response = try await reply.response { try await clock.sleep(for: $0) }
        if !response.allowsBody || reply.request.method == .head {
            response.body = Data()
        }
        var raw = RawResponse(status: response.status, headers: response.headers, source: .dummy)
        let isDelivered = policy.delivers(response.status)
        if isDelivered, let connection = response.connection {
            raw.stream = ByteStream(connection(reply.request))
            return raw
        }
        var length = response.body.count
        var cut: RestClientError?
        switch response.fault {
        case .connectionReset:
            throw failure(.connectionClosed, "reset the connection", reply)
        case .malformed:
            throw failure(.malformedResponse, "sent a malformed response", reply)
        case .noResponse:
            while true {
                try await clock.sleep(for: .seconds(3_600))
            }
        case .truncated(let count):
            length = DummyResponse.Fault.cut(after: count, of: length)
            cut = failure(.connectionClosed, "cut its body after \(length) of \(response.body.count) bytes", reply)
        case nil:
            break
        }
        guard !isDelivered else {
            let idleTimeout = policy.idleTimeout
            let chunks = DummyChunks(response, length: length, failure: cut, clock: clock, idleTimeout: idleTimeout)
            raw.stream = ByteStream(chunks)
            return raw
        }
        if let chunks = response.chunks {
            for end in chunks.ends(in: length) {
                try await clock.sleep(for: chunks.interval)
                try check(end, policy)
            }
        }
        try check(length, policy)
        if let cut {
            throw cut
        }
        raw.body = response.body
        return raw
    }

    private func check(_ length: Int, _ policy: CallPolicy) throws(RestClientError) {
        if length > policy.responseLimit {
            throw TransportFailure.bodyOverLimit(policy.responseLimit)
        }
    }

    private func failure(_ code: RestClientError.Code, _ what: String, _ reply: DummyReply) -> RestClientError {
        RestClientError(code, "the dummy '\(reply.responder)' \(what)")
    }
}

final class DummyChunks: ByteSource {
    private let body: Data
    private let ends: [Int]
    private let interval: Duration
    private let failure: RestClientError?
    private let clock: ClientClock
    private let idleTimeout: Duration?
    private let progress = Mutex((index: 0, isCancelled: false))

    init(
        _ response: DummyResponse,
        length: Int,
        failure: RestClientError?,
        clock: ClientClock,
        idleTimeout: Duration?
    ) {
        body = response.body.prefix(length)
        ends = response.chunks?.ends(in: length) ?? (length > 0 ? [length] : [])
        interval = response.chunks?.interval ?? .zero
        self.failure = failure
        self.clock = clock
        self.idleTimeout = idleTimeout
    }

    func next() async throws -> Data? {
        let index = progress.withLock { progress in
            defer { progress.index += 1 }
            return progress.index
        }
        if interval > .zero, index < ends.count {
            try await clock.sleep(for: min(interval, idleTimeout ?? interval))
            if let idleTimeout, idleTimeout < interval {
                throw RestClientError.timedOut(after: idleTimeout)
            }
        }
        guard !progress.withLock({ $0.isCancelled }) else {
            throw CancellationError()
        }
        guard index < ends.count else {
            if let failure {
                throw failure
            }
            return nil
        }
        let start = index > 0 ? ends[index - 1] : 0
        return Data(body[(body.startIndex + start)..<(body.startIndex + ends[index])])
    }

    func cancel() {
        progress.withLock { $0.isCancelled = true }
    }
}
