// SPDX-License-Identifier: MIT

extension CallContext {
    /// The times of one call on the manager's clock, as its stages record them.
    ///
    /// Most calls have one exchange and one wait, for which no additional memory is allocated.
    struct Timeline: Sendable {
        private var firstWait: CallTimings.Wait?
        private var moreWaits: [CallTimings.Wait] = []
        private var firstExchange: CallTimings.Exchange?
        private var moreExchanges: [CallTimings.Exchange] = []
        private var received: Duration?
        private var decoded: Duration?

        mutating func add(waitFrom asked: Duration, to granted: Duration, for reason: CallTimings.Wait.Reason) {
            let wait = CallTimings.Wait(start: asked, end: granted, reason: reason)
            if firstWait == nil {
                firstWait = wait
            } else {
                moreWaits.append(wait)
            }
        }

        mutating func add(exchangeFrom began: Duration, to ended: Duration, _ phases: ExchangeTimings?, attempt: Int) {
            let exchange = CallTimings.Exchange(attempt: attempt, start: began, end: ended, phases: phases)
            if firstExchange == nil {
                firstExchange = exchange
            } else {
                moreExchanges.append(exchange)
            }
        }

        /// Returns the time from the beginning of an attempt's first exchange to the end of its last one; `nil` if it
        /// had none.
        func duration(ofAttempt attempt: Int) -> Duration? {
            var began: Duration?
            var ended: Duration?
            if let firstExchange, firstExchange.attempt == attempt {
                (began, ended) = (firstExchange.start, firstExchange.end)
            }
            for exchange in moreExchanges where exchange.attempt == attempt {
                began = began ?? exchange.start
                ended = exchange.end
            }
            guard let began, let ended else {
                return nil
            }
            return ended - began
        }

        mutating func decode(from received: Duration, to decoded: Duration) {
            self.received = received
            self.decoded = decoded
        }

        /// Returns the timings so far, relative to the start of the call.
        func timings(since start: Duration) -> CallTimings {
            var decoding: Duration?
            if let received, let decoded {
                decoding = decoded - received
            }
            let waits = (firstWait.map { [$0] } ?? []) + moreWaits
            let exchanges = (firstExchange.map { [$0] } ?? []) + moreExchanges
            return CallTimings(
                waits: waits.map { CallTimings.Wait(start: $0.start - start, end: $0.end - start, reason: $0.reason) },
                exchanges: exchanges.map { exchange in
                    CallTimings.Exchange(
                        attempt: exchange.attempt,
                        start: exchange.start - start,
                        end: exchange.end - start,
                        phases: exchange.phases
                    )
                },
                decoding: decoding,
                decoded: decoded.map { $0 - start },
                origin: start
            )
        }
    }
}
