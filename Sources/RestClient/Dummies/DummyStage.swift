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
        seen.coding = lookup.directory?.dogma(call.policy.dogmaAlias)
            .map { dogma in
                let call = DogmaRequest(
                    method: call.method,
                    api: call.api,
                    server: call.server,
                    template: call.template,
                    keyStrategy: call.options[.keyStrategy],
                    dateStrategy: call.options[.dateStrategy]
                )
                return DummyRequest.Coding(dogma: dogma, call: call)
            }
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
        if let connection = response.connection, policy.delivers(response.status) {
            var head = RawResponse(status: response.status, headers: response.headers, source: .dummy)
            head.stream = ByteStream(connection(reply.request))
            return head
        }
        if policy.delivers(response.status), response.fault?.endsWithinBody ?? true {
            return stream(response, reply, policy)
        }
        let fault = response.fault
        var length = response.body.count
        switch fault {
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
        case nil:
            break
        }
        if let chunks = response.chunks {
            for end in chunks.ends(in: length) {
                try await clock.sleep(for: chunks.interval)
                try check(end, policy)
            }
        }
        try check(length, policy)
        if case .truncated = fault {
            throw failure(.connectionClosed, "cut its body after \(length) of \(response.body.count) bytes", reply)
        }
        return RawResponse(
            status: response.status,
            headers: response.headers,
            body: response.body,
            source: .dummy
        )
    }

    private func stream(_ response: DummyResponse, _ reply: DummyReply, _ policy: CallPolicy) -> RawResponse {
        var end: RestClientError?
        var length = response.body.count
        if case .truncated(let count) = response.fault {
            length = DummyResponse.Fault.cut(after: count, of: length)
            end = failure(.connectionClosed, "cut its body after \(length) of \(response.body.count) bytes", reply)
        }
        let chunks = DummyChunks(response, length: length, failure: end, clock: clock, idleTimeout: policy.idleTimeout)
        var head = RawResponse(status: response.status, headers: response.headers, source: .dummy)
        head.stream = ByteStream(chunks)
        return head
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
