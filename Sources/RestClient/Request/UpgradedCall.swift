// SPDX-License-Identifier: MIT

package import JobGraphs
import RestEssentials
import Synchronization

/// A call that has taken over its connection, and ends with it.
package final class UpgradedCall<Model: Sendable>: Sendable {
    /// The response that agreed to the upgrade, without its stream.
    package let head: RawResponse

    /// The connection, as the opener or a dummy made it.
    package let connection: any ByteSource

    package let clock: RuntimeClock

    private let call: CallContext
    private let coding: ResolvedDogma
    private let decoding: ResponseDecoding<Model>
    private let settle: SettleOnce
    private let hub: EventHub
    private let sentCount = Atomic<Int>(0)
    private let receivedCount = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)

    init(
        _ head: RawResponse,
        _ connection: any ByteSource,
        _ call: CallContext,
        _ coding: ResolvedDogma,
        _ decoding: ResponseDecoding<Model>,
        clock: RuntimeClock,
        hub: EventHub,
        ended settle: @escaping WatchedSource.Watcher
    ) {
        self.head = head
        self.connection = connection
        self.clock = clock
        self.hub = hub
        self.call = call
        self.coding = coding
        self.decoding = decoding
        self.settle = SettleOnce(settle)
    }

    deinit {
        end(.cancelled)
    }

    package var id: CallID { call.id }

    package var options: CallOptions { call.policy.options }

    /// Ends the call, which emits its last event; again, this does nothing.
    ///
    /// Returns the error to throw in place of the given one.
    @discardableResult
    package func end(_ end: StreamEnd) -> (any Error)? {
        connection.cancel()
        return settle.end(end)
    }

    // MARK: - Events

    package func opened(subprotocol: String?) {
        hub.emit(.webSocketOpened(subprotocol: subprotocol), call)
    }

    package func passed(_ direction: CallProgress.Direction, bytes: Int) {
        let counter =
            switch direction {
            case .sent: sentCount.wrappingAdd(1, ordering: .relaxed).newValue
            case .received: receivedCount.wrappingAdd(1, ordering: .relaxed).newValue
            }
        hub.emit(.webSocketMessage(direction, bytes: bytes, number: counter), call)
    }

    /// Emits how the connection ended, once; before ``end(_:)``.
    package func closed(code: UInt16, isByServer: Bool) {
        if !isClosed.exchange(true, ordering: .acquiringAndReleasing) {
            hub.emit(.webSocketClosed(code: Int(code), isByServer: isByServer), call)
        }
    }

    // MARK: - Coding

    /// Decodes a part of what came over the connection as the node decodes its responses.
    package func decode(_ part: EncodedBody) throws -> Model {
        var response = RawResponse(status: head.status, body: part.bytes, source: head.source)
        response.headers[.contentType] = part.contentType
        do {
            return try decoding.decode(response, coding.dogma, coding.request)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw RestClientError(
                .decodingFailed,
                "could not decode \(Model.self) from a message of \(part.bytes.count) bytes: "
                    + DecodingReason.describe(error),
                response: response,
                underlying: error
            )
        }
    }

    package func encode(_ model: some Encodable) throws(RestClientError) -> EncodedBody {
        try coding.encode(model)
    }
}

extension RequestNode {
    /// Sends the call as a request to take over its connection, which a response with the status 101 agrees to.
    ///
    /// Servers, options, tokens, retries, redirects, interceptors and dummies work as for any other call. A response
    /// with another status fails the call; otherwise it is under way until ``UpgradedCall/end(_:)``.
    package func upgraded(by open: @escaping ConnectionOpener) async throws -> UpgradedCall<Model> {
        var node = self.accepting([.switchingProtocols])
        node.specification.isStreamed = true
        node.specification.upgrade = ConnectionUpgrade(open)
        node.specification.target.replaceWebSocketScheme()
        return try await sender.upgrade(node)
    }

    /// Begins the series of calls of a feed; see ``part(of:)``.
    package func beginSeries() -> CallSeries {
        sender.series(of: upgradable, Model.self)
    }

    /// Returns the node of one of the calls of a feed, which fails with its original error.
    package consuming func part(of series: CallSeries) -> Self {
        specification.series = series.shared
        return self
    }

    /// Returns the failure that ends a feed with an error.
    package func failure(_ error: any Error) async -> CallFailure {
        await sender.failure(error, of: upgradable, errorMapper)
    }

    /// Emits that a feed of the node connects again.
    package func reconnecting(_ series: CallSeries, after delay: Duration, because error: (any Error)?) {
        sender.emit(.webSocketReconnecting(delay: delay, error), of: series)
    }

    private var upgradable: RequestSpecification {
        var specification = specification
        specification.target.replaceWebSocketScheme()
        return specification
    }

    package func pause(_ duration: Duration) async throws {
        try await sender.pause(duration)
    }
}

final class SettleOnce: Sendable {
    private let watcher: Mutex<WatchedSource.Watcher?>

    init(_ watcher: @escaping WatchedSource.Watcher) {
        self.watcher = Mutex(watcher)
    }

    /// Records an end; returns the error to throw if it is the first end, and an error.
    @discardableResult
    func end(_ end: StreamEnd) -> (any Error)? {
        let watcher = watcher.withLock { $0.take() }
        return watcher?(end)
    }
}
