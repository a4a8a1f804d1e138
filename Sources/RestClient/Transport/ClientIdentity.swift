// SPDX-License-Identifier: MIT

import HTTPWire
package import NIOSSL
import RestEssentials
import Synchronization

package final class ClientIdentity: Sendable {
    private struct Stamp: Hashable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let seconds: Int64
        let nanoseconds: Int64

        init?(of path: String) {
            var information = stat()
            guard unsafe stat(path, &information) == 0 else {
                return nil
            }
            device = UInt64(truncatingIfNeeded: information.st_dev)
            inode = UInt64(truncatingIfNeeded: information.st_ino)
            size = Int64(information.st_size)
            #if canImport(Darwin)
            let time = information.st_mtimespec
            #else
            let time = information.st_mtim
            #endif
            seconds = Int64(time.tv_sec)
            nanoseconds = Int64(time.tv_nsec)
        }
    }

    private struct State {
        var stamps: [Stamp?]
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

    private static func stamps(_ files: ClientCertificateFiles) -> [Stamp?] {
        [Stamp(of: files.chain), Stamp(of: files.privateKey)]
    }

    private static func read(
        _ files: ClientCertificateFiles,
        generation: Int
    ) throws(RestClientError) -> WireIdentity {
        do {
            let chain = try NIOSSLCertificate.fromPEMBytes(Array(try Data(contentsOf: URL(filePath: files.chain))))
            let key = try NIOSSLPrivateKey(
                bytes: Array(try Data(contentsOf: URL(filePath: files.privateKey))),
                format: .pem
            )
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
            throw RestClientError(
                .tlsFailed,
                "the client's certificate in '\(files.chain)' and its key in '\(files.privateKey)' cannot be used; "
                    + "write both files in PEM format, the key before the chain",
                underlying: error
            )
        }
    }
}
