// SPDX-License-Identifier: MIT

/// Sends the request of a call that takes over its connection, with the settings of the manager's transport.
///
/// A response that agrees has the connection as its stream.
package typealias ConnectionOpener =
    @Sendable (_ request: TransportRequest, _ call: CallContext, _ transport: any Transport) async throws -> RawResponse

/// Opens the connection of a call that takes it over, in place of the manager's transport.
final class ConnectionUpgrade: PolicyPart {
    let open: ConnectionOpener

    init(_ open: @escaping ConnectionOpener) {
        self.open = open
    }
}
