// SPDX-License-Identifier: MIT

/// The handler of a connection, which carries exchanges on its event loop: one at a time, or many.
protocol ExchangeCarrier: AnyObject {
    /// Starts an exchange.
    func start(_ exchange: WireExchange)
    /// Ends an exchange that nobody waits for any more, unless it has ended.
    func abandon(_ exchange: WireExchange)
    /// Closes the connection unless it carries an exchange.
    func closeIfIdle()
    /// Sends the chunks of an exchange's body that have come.
    func sendChunks(of exchange: WireExchange)
    /// Takes the news that the reader of an exchange's response has caught up.
    func resumeReading(of exchange: WireExchange)
}
