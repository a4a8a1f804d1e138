// SPDX-License-Identifier: MIT

import HTTPWire
package import NIOCore

/// The terms of a server besides the checks of the TLS handshake: a strong certificate, and a pinned key.
package struct ServerTerms: Sendable {
    var checksCertificate = true
    var pinnedKeys: Set<String> = []

    package init(checksCertificate: Bool = true, pinnedKeys: Set<String> = []) {
        self.checksCertificate = checksCertificate
        self.pinnedKeys = pinnedKeys
    }

    /// Returns the reason to refuse the server of a connection; `nil` if there is none.
    ///
    /// Call it on the event loop of the connection after the handshake.
    package func fault(of connection: any Channel) -> (any Error)? {
        if checksCertificate, let defect = CertificateDefect.find(on: connection) {
            return defect
        }
        return pinnedKeys.isEmpty ? nil : PinMismatch.find(on: connection, pins: pinnedKeys)
    }
}
