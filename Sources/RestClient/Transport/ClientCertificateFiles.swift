// SPDX-License-Identifier: MIT

/// The files of a client's certificate and its key, which are read again when they change.
///
/// Certificates that live for hours are replaced while a program runs. Each new connection uses the files as they are
/// then; connections that are open keep the certificate with which they were made. A file counts as changed if its
/// inode, its length or its time of modification is another one.
///
/// ```swift
/// var configuration = DirectTransport.Configuration()
/// configuration.clientCertificateFiles = ClientCertificateFiles(
///     chain: "/run/secrets/client.pem",
///     privateKey: "/run/secrets/client.key"
/// ) { error in print("the client's certificate was not renewed:", error) }
/// ```
public struct ClientCertificateFiles: Sendable {
    /// The path of the certificate and those between it and its authority, in PEM format.
    public var chain: String

    /// The path of the private key, in PEM format and not encrypted.
    public var privateKey: String

    let onFailure: (@Sendable (RestClientError) -> Void)?

    /// True for a file of PKCS #12, which holds both.
    let isBundle: Bool
    let passphrase: String?

    /// Creates the names of two files.
    ///
    /// - Parameters:
    ///   - chain: The path of the certificate and those between it and its authority, in PEM format.
    ///   - privateKey: The path of the private key, in PEM format. Both may be one file.
    ///   - onFailure: Called when changed files cannot be read or do not belong together, once for each change; the
    ///     earlier certificate stays in use. It is called on the thread that needs a connection, and must not block.
    public init(chain: String, privateKey: String, onFailure: (@Sendable (RestClientError) -> Void)? = nil) {
        self.chain = chain
        self.privateKey = privateKey
        self.onFailure = onFailure
        isBundle = false
        passphrase = nil
    }

    /// Creates the name of a file of PKCS #12, with the extension `p12` or `pfx` (RFC 7292).
    ///
    /// - Parameters:
    ///   - path: The path of the file, which holds the certificates and the key.
    ///   - passphrase: The passphrase of the file; `nil`, the default, for none.
    ///   - onFailure: Called when a changed file cannot be read; see ``init(chain:privateKey:onFailure:)``.
    public init(
        pkcs12 path: String,
        passphrase: String? = nil,
        onFailure: (@Sendable (RestClientError) -> Void)? = nil
    ) {
        chain = path
        privateKey = path
        self.onFailure = onFailure
        isBundle = true
        self.passphrase = passphrase
    }
}

extension ClientCertificateFiles: CustomReflectable {
    /// The names of the files, without the passphrase.
    public var customMirror: Mirror { Mirror(self, children: ["chain": chain, "privateKey": privateKey]) }
}
