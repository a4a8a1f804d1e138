// SPDX-License-Identifier: MIT

import HTTPWire
package import NIOSSL
import RestEssentials
import Synchronization

package final class ClientIdentity: Sendable {
    private struct State {
        /// The inode, the length and the time of modification of each file; empty for one that is missing.
        var stamps: [[Int64]]
        var identity: WireIdentity
    }

    private let files: ClientCertificateFiles
    private let state: Mutex<State>

    init(_ files: ClientCertificateFiles) throws(RestClientError) {
        self.files = files
        let stamps = Self.stamps(files)
        state = Mutex(State(stamps: stamps, identity: try Self.read(files, generation: 1)))
    }

    /// Returns the identity, after it has read the files again if they have changed.
    func current() -> WireIdentity {
        let stamps = Self.stamps(files)
        let (known, isCurrent) = state.withLock { ($0.identity, $0.stamps == stamps) }
        guard !isCurrent else {
            return known
        }
        do throws(RestClientError) {
            let identity = try Self.read(files, generation: known.generation + 1)
            return state.withLock { state in
                // Another thread may have read later files meanwhile.
                if state.identity.generation == known.generation {
                    state = State(stamps: stamps, identity: identity)
                }
                return state.identity
            }
        } catch {
            let isNew = state.withLock { state in
                defer { state.stamps = stamps }
                return state.stamps != stamps
            }
            if isNew {
                files.onFailure?(error)
            }
            return known
        }
    }

    package func apply(to tls: inout TLSConfiguration) {
        current().apply(to: &tls)
    }

    private static func stamps(_ files: ClientCertificateFiles) -> [[Int64]] {
        [files.chain, files.privateKey]
            .map { path in
                var file = stat()
                guard unsafe stat(path, &file) == 0 else {
                    return []
                }
                #if canImport(Darwin)
                let time = file.st_mtimespec
                #else
                let time = file.st_mtim
                #endif
                let inode = [Int64(truncatingIfNeeded: file.st_dev), Int64(truncatingIfNeeded: file.st_ino)]
                return inode + [Int64(file.st_size), Int64(time.tv_sec), Int64(time.tv_nsec)]
            }
    }

    private static func certificates(
        _ files: ClientCertificateFiles
    ) throws -> (chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) {
        let bytes = Array(try Data(contentsOf: URL(filePath: files.chain)))
        guard !files.isBundle else {
            let bundle = try NIOSSLPKCS12Bundle(buffer: bytes, passphrase: files.passphrase?.utf8)
            return (bundle.certificateChain, bundle.privateKey)
        }
        let key = Array(try Data(contentsOf: URL(filePath: files.privateKey)))
        return (try NIOSSLCertificate.fromPEMBytes(bytes), try NIOSSLPrivateKey(bytes: key, format: .pem))
    }

    private static func read(
        _ files: ClientCertificateFiles,
        generation: Int
    ) throws(RestClientError) -> WireIdentity {
        do {
            let (chain, key) = try certificates(files)
            let identity = WireIdentity(
                generation: generation,
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
            // A context refuses a key of another certificate. It needs no trust for that, which takes long to read.
            var check = TLSConfiguration.makeClientConfiguration()
            check.trustRoots = .certificates([])
            identity.apply(to: &check)
            _ = try NIOSSLContext(configuration: check)
            return identity
        } catch {
            guard !files.isBundle else {
                throw RestClientError(
                    .tlsFailed,
                    "the client's certificate and its key in '\(files.chain)' cannot be used; see whether it is a file "
                        + "of PKCS #12, and its passphrase",
                    underlying: error
                )
            }
            throw RestClientError(
                .tlsFailed,
                "the client's certificate in '\(files.chain)' and its key in '\(files.privateKey)' cannot be used; "
                    + "write both files in PEM format, the key before the chain",
                underlying: error
            )
        }
    }
}
