// SPDX-License-Identifier: MIT

import Crypto
public import HTTPTypes
public import RestEssentials

/// Signs requests just before they are sent, with a key that only the caller and the server know.
///
/// ```swift
/// manager.servers[.bucket] = Server("https://bucket.example.com").signing(signer)
/// ```
///
/// It runs behind all interceptors and header providers, again for each attempt, and for each redirect that stays with
/// the server. A redirect to another server gets no signature, nor does one that leads back from there. Responses from
/// the cache need none. Dummies receive the signed request. Recordings mask fields whose names look like secrets; items
/// of the query that differ each time, such as a date, must not be among those that `RecordingRules.query` allows.
///
/// It runs while a worker slot is held, so it should have its key at hand. The product `RestClientAWS` signs by AWS
/// Signature Version 4.
public protocol RequestSigner: Sendable {
    /// The name of the key, as in `AKIDEXAMPLE`, which is no secret.
    ///
    /// Calls with different ones share neither stored responses nor requests.
    var identity: String { get }

    /// Signs a request.
    ///
    /// - Parameter request: The request as it is sent, but for the fields that the transport adds, such as `Host`. The
    ///   bytes of its body are ``RequestBody/bytes``, or ``OutgoingRequest/bodyDigest()``.
    /// - Returns: What the signature adds to the request.
    /// - Throws: An error; the attempt fails with ``RestClientError/Code-swift.struct/signingFailed``, which has it as
    ///   its underlying one, and nothing is sent.
    func sign(_ request: OutgoingRequest) async throws -> RequestSignature
}

/// The header fields and query items that a signature adds to a request.
public struct RequestSignature: Sendable {
    /// The header fields; each replaces those of its name.
    public var headers: HTTPFields

    /// The items behind those of the query; both parts are percent-encoded.
    public var query: [(name: String, value: String)]

    /// Creates a signature.
    ///
    /// - Parameters:
    ///   - headers: The header fields. ``CallConfigurable/credentialFields(_:)`` masks those whose names do not look
    ///     like secrets.
    ///   - query: The items of the query.
    public init(headers: HTTPFields = [:], query: [(name: String, value: String)] = []) {
        self.headers = headers
        self.query = query
    }
}

extension OutgoingRequest {
    /// Returns the SHA-256 of the body as it is sent, with its content coding; that of no bytes without a body.
    ///
    /// Files are read for it, one chunk at a time.
    ///
    /// - Returns: The digest of 32 bytes; `nil` for a stream that can be read only once.
    /// - Throws: The error of a file or a stream that cannot be read.
    public func bodyDigest() async throws -> Data? {
        var digest = SHA256()
        guard let body else {
            return Data(digest.finalize())
        }
        guard body.isRepeatable else {
            return nil
        }
        do {
            let reader = try ChunkReader(body)
            while let chunk = try await reader.next() {
                digest.update(data: chunk)
            }
        } catch let error as BodySourceError {
            throw error.underlying
        }
        return Data(digest.finalize())
    }
}

extension CallConfigurable {
    /// Signs the requests of calls; none are signed if no level sets a signer.
    ///
    /// A signer of the manager or the environment signs requests to registered servers only.
    ///
    /// - Parameter signer: The signer; `nil` for none, whatever an outer level says.
    /// - Returns: A changed copy.
    public consuming func signing(_ signer: (any RequestSigner)?) -> Self {
        option(.signer, signer)
    }
}

extension CallOptionKey<(any RequestSigner)?> {
    static var signer: Self {
        Self("signing", decidesResponse: true, needs: .signing) { signer in
            signer.map { "\(type(of: $0)) as \($0.shownIdentity)" } ?? "none"
        }
    }
}

extension RequestSigner {
    var shownIdentity: String { MessageText.of(identity, limit: MessageText.partLimit) }
}
