// SPDX-License-Identifier: MIT

import HTTPWire
import NIOCore

/// The terms of a server besides the checks of the TLS handshake: a strong certificate, and a pinned key.
struct ServerTerms: Sendable {
    /// False if any certificate of the server is accepted.
    var checksCertificate = true
    /// The keys that the server may have; empty for any.
    var pinnedKeys: Set<String> = []

    /// Returns the reason to refuse the server of a connection; `nil` if there is none.
    ///
    /// Call it on the event loop of the connection after the handshake.
    ///
    /// - Parameter connection: The connection.
    /// - Returns: The reason.
    func fault(of connection: any Channel) -> (any Error)? {
        if checksCertificate, let defect = CertificateDefect.find(on: connection) {
            return defect
        }
        return pinnedKeys.isEmpty ? nil : PinMismatch.find(on: connection, pins: pinnedKeys)
    }
}
