// SPDX-License-Identifier: MIT

import HTTPWire
import NIOCore

/// The terms of a server besides the checks of the TLS handshake: a strong certificate, and a pinned key.
struct ServerTerms: Sendable {
    var checksCertificate = true
    var pinnedKeys: Set<String> = []

    /// Returns the reason to refuse the server of a connection; `nil` if there is none.
    ///
    /// Call it on the event loop of the connection after the handshake.
    func fault(of connection: any Channel) -> (any Error)? {
        if checksCertificate, let defect = CertificateDefect.find(on: connection) {
            return defect
        }
        return pinnedKeys.isEmpty ? nil : PinMismatch.find(on: connection, pins: pinnedKeys)
    }
}
