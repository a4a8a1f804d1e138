// SPDX-License-Identifier: MIT

import HTTPTypes
public import RestClient
import RestClientWebSocket
import RestEssentials
import Synchronization

/// A log of requests and responses as they go over the wire, for people to read.
///
/// ```swift
/// let logger = Logger(label: "wire")
/// manager.options = manager.options.wireLog(WireLog { logger.debug("\($0)") })
/// try await manager.request(.orders).wireLog(WireLog(.bodies) { print($0) }).send()
/// ```
///
/// It logs what each attempt and each redirect sends and receives, behind all interceptors, and failures too. Dummies
/// are logged like servers; responses from the cache are not, because they are no exchanges. The messages of a
/// WebSocket are not logged, but its handshake is. Fields that the transport adds, such as `Host` and `Content-Length`,
/// are not shown.
///
/// An entry is written when the request is sent, and another one when the response has come. The body of a streamed
/// response has entries of its own: one when as many bytes have passed as are shown, and one at its end. It is read at
/// the consumer's pace. Of a request's body that is not in memory only the kind and the length are shown.
///
/// Secrets are masked by ``RecordingRules``, by default all that look like secrets. JSON is indented; a body that is
/// neither JSON nor a form is masked unless ``RecordingRules/allowsOtherBodies`` is set, and even then without what
/// looks like a secret in it.
public struct WireLog: Sendable {
    /// The parts of requests and responses that are logged.
    public enum Detail: Sendable, Hashable {
        /// The method, the URL or the status, and the header fields.
        case headers
        /// The same, and the bodies.
        case bodies
    }

    /// A request, a response, the beginning or the end of a streamed body, or a failure.
    public struct Entry: Sendable, CustomStringConvertible {
        /// The call, by which entries of concurrent calls are told apart.
        public let call: CallID

        /// A Boolean value that is true if there was no response, or if its body broke off.
        ///
        /// A response with any status is none, nor is a cancelled call.
        public let isFailure: Bool

        /// The masked text, of one or more lines; all but the first one are indented.
        public let description: String
    }

    let text: WireText
    let write: @Sendable (Entry) -> Void

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - detail: The parts that are logged. Defaults to the header fields.
    ///   - limit: The length to which the text of a body is cut, in Unicode scalars; of a streamed body, the number of
    ///     bytes that are looked at. Defaults to 16,384; at most 1,048,576.
    ///   - rules: The rules that decide what is masked. Defaults to ``RecordingRules/exceptSecrets``.
    ///   - write: Receives the entries, on the way of the request: it must return quickly.
    public init(
        _ detail: Detail = .headers,
        limit: Int = 16 << 10,
        rules: RecordingRules = .exceptSecrets,
        to write: @escaping @Sendable (Entry) -> Void
    ) {
        let limit = min(max(0, limit), WireText.maskingLimit)
        text = WireText(rules: rules, showsBodies: detail == .bodies && limit > 0, limit: limit)
        self.write = write
    }
}

extension CallConfigurable {
    /// Logs the exchanges of calls; none are logged if no level sets a log.
    ///
    /// The log of the innermost level is the only one. Calls that are ``/RestClient/CallConfigurable/muted()`` are
    /// skipped.
    ///
    /// - Parameter log: The log; `nil` for none, whatever an outer level says.
    /// - Returns: A changed copy.
    public consuming func wireLog(_ log: WireLog?) -> Self {
        wireObserver(log.map { WireLogger(log: $0) })
    }
}

/// Writes the entries of exchanges.
struct WireLogger: Interceptor, CustomStringConvertible {
    let log: WireLog

    var description: String {
        log.text.showsBodies ? "headers, and bodies up to \(log.text.limit)" : "headers"
    }

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        guard !request.call.isMuted else {
            return try await next(request)
        }
        let (text, id) = (log.text, request.call.id)
        let place = "\(id), attempt \(request.call.latestAttempt)"
        let write = { @Sendable [log] (message: String, isFailure: Bool) in
            log.write(WireLog.Entry(call: id, isFailure: isFailure, description: message))
        }
        write(text.request(request, place), false)
        let start = ContinuousClock.now
        do {
            var response = try await next(request)
            write(text.response(response, after: start.duration(to: .now), place), false)
            guard let source = response.stream?.release() else {
                return response
            }
            guard !(source is any MessageLink) else {
                response.stream = ByteStream(source)
                return response
            }
            let type = response.headers[.contentType]
            let body = LoggedBody(source, limit: text.showsBodies ? text.limit : 0) { part in
                write(text.part(part, type: type, after: start.duration(to: .now), place), part.isFailure)
            }
            response.stream = ByteStream(body as any ByteSource)
            return response
        } catch {
            let isCancelled = error is CancellationError
            write(text.failure(error, after: start.duration(to: .now), place), !isCancelled)
            throw error
        }
    }
}

/// The body of a streamed response, whose first bytes are logged as they pass, at the consumer's pace.
private final class LoggedBody: ByteSource {
    private struct State {
        var part = WireText.Part()
        /// True once the first bytes were logged.
        var isShown: Bool
        var isOver = false
    }

    private let base: any ByteSource
    private let limit: Int
    private let log: @Sendable (WireText.Part) -> Void
    private let state: Mutex<State>

    init(_ base: any ByteSource, limit: Int, log: @escaping @Sendable (WireText.Part) -> Void) {
        self.base = base
        self.limit = limit
        self.log = log
        state = Mutex(State(isShown: limit == 0))
    }

    deinit {
        end(.abandoned)
    }

    func next() async throws -> Data? {
        do {
            let chunk = try await base.next()
            if let chunk {
                note(chunk)
            } else {
                end(.complete)
            }
            return chunk
        } catch {
            end(error is CancellationError ? .abandoned : .failed(Redaction.error(error)))
            throw error
        }
    }

    func cancel() {
        base.cancel()
        end(.abandoned)
    }

    private func note(_ chunk: Data) {
        let part = state.withLock { state -> WireText.Part? in
            state.part.count += Int64(chunk.count)
            guard !state.isShown, !state.isOver else {
                return nil
            }
            state.part.bytes.append(chunk.prefix(limit - state.part.bytes.count))
            guard state.part.count >= limit else {
                return nil
            }
            state.isShown = true
            defer { state.part.bytes = Data() }
            return state.part
        }
        if let part {
            log(part)
        }
    }

    private func end(_ end: WireText.Part.End) {
        let part = state.withLock { state -> WireText.Part? in
            guard !state.isOver else {
                return nil
            }
            state.isOver = true
            state.part.end = end
            defer { state.part.bytes = Data() }
            return state.part
        }
        if let part {
            log(part)
        }
    }
}
