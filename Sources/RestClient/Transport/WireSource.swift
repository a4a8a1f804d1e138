// SPDX-License-Identifier: MIT

import HTTPWire
import NIOCore
import NIOFoundationEssentialsCompat
import RestEssentials

final class WireSource: ByteSource {
    private let exchange: WireExchange
    private let url: String
    private let idleTimeout: Duration?
    private let surplusHandler: (@Sendable () -> Void)?
    private let deadlines: DeadlineWatch

    init(_ exchange: WireExchange, of request: TransportRequest, _ deadlines: DeadlineWatch) {
        self.exchange = exchange
        url = request.url
        idleTimeout = request.idleTimeout
        surplusHandler = request.surplusHandler
        self.deadlines = deadlines
    }

    func next() async throws -> Data? {
        let ticket = idleTimeout.map { deadlines.add(exchange, until: NIODeadline.now() + TimeAmount($0)) }
        defer {
            if let ticket {
                deadlines.remove(ticket)
            }
        }
        do {
            guard let chunk = try await exchange.nextChunk() else {
                if let surplusHandler, exchange.hasSurplus {
                    surplusHandler()
                }
                return nil
            }
            return Data(buffer: chunk)
        } catch let error as BodySourceError {
            throw error.underlying
        } catch {
            throw error is CancellationError ? error : TransportFailure.errorAfterHead(error, url: url)
        }
    }

    func cancel() {
        exchange.cancel()
    }
}
