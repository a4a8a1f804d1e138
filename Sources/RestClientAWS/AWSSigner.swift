// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestClient
import RestEssentials

/// Signs requests by AWS Signature Version 4, for AWS and for services that are called like it, such as MinIO, Wasabi
/// and Cloudflare R2.
///
/// ```swift
/// let signer = AWSSigner(try AWSCredentials(), region: "eu-central-1", service: "s3")
/// manager.servers[.bucket] = Server("https://bucket.s3.eu-central-1.amazonaws.com").signing(signer)
/// ```
///
/// All header fields of the request are signed, except those that proxies may change, such as `User-Agent`, and the
/// body with its SHA-256. A request whose URL is signed already is left as it is.
public struct AWSSigner: RequestSigner, MirroredByDescription {
    /// The part that the body has in signatures.
    public enum Payload: Sendable, Hashable {
        /// The SHA-256 of the body, for which files are read once more.
        case digest
        /// None: the body is protected by TLS alone. S3 allows it, for streams that can be read only once.
        case unsigned
    }

    /// The name of the key.
    public let identity: String

    /// The region, as in `eu-central-1`.
    public let region: String

    /// The name of the service in signatures, as in `s3`, `execute-api` or `dynamodb`.
    public let service: String

    /// The part that the body has in signatures.
    ///
    /// Defaults to ``Payload-swift.enum/digest``.
    public var payload = Payload.digest

    var now: @Sendable () -> Date = { Date() }
    private let credentials: @Sendable () async throws -> AWSCredentials

    /// Creates a signer with a key.
    ///
    /// - Parameters:
    ///   - credentials: The key.
    ///   - region: The region, as in `eu-central-1`.
    ///   - service: The name of the service in signatures, as in `s3`, `execute-api` or `dynamodb`.
    public init(_ credentials: AWSCredentials, region: String, service: String) {
        self.init(identity: credentials.accessKeyID, region: region, service: service) { credentials }
    }

    /// Creates a signer with keys that change, such as temporary ones.
    ///
    /// - Parameters:
    ///   - identity: A name for whom the keys belong to, which is no secret: calls with different ones share neither
    ///     stored responses nor requests.
    ///   - region: The region, as in `eu-central-1`.
    ///   - service: The name of the service in signatures, as in `s3`, `execute-api` or `dynamodb`.
    ///   - credentials: Returns the present key. It is called for each request, while a worker slot is held, so it
    ///     should keep the key as long as that is valid.
    public init(
        identity: String,
        region: String,
        service: String,
        credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) {
        self.identity = identity
        self.region = region
        self.service = service
        self.credentials = credentials
    }

    /// The name of the key, the region and the service.
    public var description: String {
        MessageText.of("AWS signer \(identity) for \(service) in \(region)", limit: MessageText.partLimit)
    }

    // MARK: - Requests

    /// Signs a request with header fields.
    ///
    /// - Parameter request: The request.
    /// - Returns: The fields `Authorization`, `X-Amz-Date` and, where they are needed, `X-Amz-Content-Sha256` and
    ///   `X-Amz-Security-Token`; nothing if the URL is signed already.
    /// - Throws: ``/RestClient/RestClientError`` with the code
    ///   ``/RestClient/RestClientError/Code-swift.struct/signingFailed`` for a body that can be read only once, unless
    ///   ``payload-swift.property`` is ``Payload-swift.enum/unsigned``, and for a key, region or service that is not
    ///   one; the error of ``init(identity:region:service:credentials:)``'s closure.
    public func sign(_ request: OutgoingRequest) async throws -> RequestSignature {
        let url = try Self.parsed(request.url)
        guard !Self.isSigned(url) else {
            return RequestSignature()
        }
        let key = try await key()
        let scope = SignatureV4.Scope(now(), region: region, service: service)
        let digest = try await digest(of: request)
        var added: [(name: String, value: String)] = [("X-Amz-Date", scope.time)]
        if scope.isOfS3 || payload == .unsigned {
            added.append(("X-Amz-Content-Sha256", digest))
        }
        if let token = key.sessionToken {
            added.append(("X-Amz-Security-Token", token))
        }
        var headers = HTTPFields()
        for (name, value) in added {
            if let name = HTTPField.Name(name) {
                headers[name] = value
            }
        }
        let signature = SignatureV4(
            scope,
            request.method.rawValue,
            target: url.target,
            fields: Self.fields(of: request, url) { headers.contains($0) } + added,
            payload: digest
        )
        headers[.authorization] =
            "\(SignatureV4.algorithm) Credential=\(key.accessKeyID)/\(scope.text), "
            + "SignedHeaders=\(signature.signedFields), Signature=\(signature.signature(key.secretAccessKey))"
        return RequestSignature(headers: headers)
    }

    private func digest(of request: OutgoingRequest) async throws -> String {
        guard payload == .digest else {
            return SignatureV4.unsignedPayload
        }
        guard let digest = try await request.bodyDigest() else {
            throw Self.failure(
                "the body can be read only once, so that it has no digest before it is sent; send a file or bytes, or "
                    + "set the signer's payload to .unsigned if the service allows it"
            )
        }
        return Hexadecimal.text(digest)
    }

    /// The fields that proxies may change, or that are about the connection.
    private static let unsigned: Set<String> = [
        "accept-encoding", "authorization", "baggage", "cache-control", "connection", "content-length", "expect",
        "from", "host", "keep-alive", "max-forwards", "pragma", "referer", "te", "traceparent", "tracestate",
        "trailer", "transfer-encoding", "upgrade", "user-agent", "via", "x-amzn-trace-id",
    ]

    private static func fields(
        of request: OutgoingRequest,
        _ url: HTTPURL,
        isReplaced: (HTTPField.Name) -> Bool
    ) -> [(name: String, value: String)] {
        let host = HTTPField.Name("Host").flatMap { request.headers[$0] } ?? url.authority
        let others = request.headers.filter { field in
            let name = field.name.canonicalName
            return !isReplaced(field.name) && !unsigned.contains(name) && !name.hasPrefix("proxy-")
                && !name.hasPrefix("sec-")
        }
        return [("host", host)] + others.map { (name: $0.name.canonicalName, value: $0.value) }
    }

    // MARK: - URLs

    /// The longest time for which a signed URL is valid: a week.
    private static let longestTime = 604_800

    /// Returns a URL with which anybody may make one kind of request until it expires, without a key.
    ///
    /// ```swift
    /// let address = "https://bucket.s3.eu-central-1.amazonaws.com/report.pdf"
    /// let link = try await signer.signedURL(address, for: .seconds(3_600))
    /// ```
    ///
    /// It is a secret itself, and is masked as one where this library shows URLs. Whoever has it sends no
    /// `Authorization`, and any body. With a temporary key it expires with the key, too.
    ///
    /// - Parameters:
    ///   - url: The absolute URL.
    ///   - method: The method of the request. Defaults to `GET`.
    ///   - time: The time for which the URL is valid, from a second to a week. Defaults to a quarter of an hour.
    ///     Fractions of a second are dropped.
    /// - Returns: The URL.
    /// - Throws: ``/RestClient/RestClientError`` with the code
    ///   ``/RestClient/RestClientError/Code-swift.struct/invalidURL`` or
    ///   ``/RestClient/RestClientError/Code-swift.struct/signingFailed``; the error of the closure for keys.
    public func signedURL(
        _ url: String,
        method: HTTPRequest.Method = .get,
        for time: Duration = .seconds(900)
    ) async throws -> String {
        let seconds = time.components.seconds
        guard (1...Int64(Self.longestTime)).contains(seconds) else {
            throw Self.failure("a signed URL is valid for a second to a week, and not for \(time)")
        }
        let parsed = try Self.parsed(url)
        guard !Self.isSigned(parsed) else {
            throw Self.failure("'\(Redaction.url(url))' is signed already; sign the URL without its signature")
        }
        let key = try await key()
        let scope = SignatureV4.Scope(now(), region: region, service: service)
        var items = [
            ("X-Amz-Algorithm", SignatureV4.algorithm), ("X-Amz-Credential", "\(key.accessKeyID)/\(scope.text)"),
            ("X-Amz-Date", scope.time), ("X-Amz-Expires", "\(seconds)"), ("X-Amz-SignedHeaders", "host"),
        ]
        if let token = key.sessionToken {
            items.append(("X-Amz-Security-Token", token))
        }
        let query = items.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        let mark = HTTPURL.query(of: parsed.target).map { $0.isEmpty ? "" : "&" } ?? "?"
        let target = "\(parsed.target)\(mark)\(query)"
        let signature = SignatureV4(
            scope,
            method.rawValue,
            target: target,
            fields: [("host", parsed.authority)],
            payload: scope.isOfS3 ? SignatureV4.unsignedPayload : SignatureV4.emptyPayload
        )
        return "\(parsed.scheme)://\(parsed.authority)\(target)&X-Amz-Signature="
            + signature.signature(key.secretAccessKey)
    }

    // MARK: - Checks

    private static func parsed(_ url: String) throws(RestClientError) -> HTTPURL {
        do throws(HTTPURL.Defect) {
            return try HTTPURL(sent: url)
        } catch {
            throw RestClientError(.invalidURL, "'\(Redaction.url(url))' is not a valid request URL")
        }
    }

    private static func isSigned(_ url: HTTPURL) -> Bool {
        QueryItems.decode(HTTPURL.query(of: url.target) ?? "").contains { $0.name == "X-Amz-Signature" }
    }

    /// Returns the present key, if it and the scope can be written in a signature.
    private func key() async throws -> AWSCredentials {
        let key = try await credentials()
        for (text, name) in [(key.accessKeyID, "name of the key"), (region, "region"), (service, "service")] {
            let isWord = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/,".utf8.contains($0) }
            guard isWord, !text.isEmpty else {
                throw Self.failure("the \(name) of the signer is not one: it is empty, or not a word")
            }
        }
        guard !key.secretAccessKey.isEmpty else {
            throw Self.failure("the secret part of the key is empty")
        }
        return key
    }

    private static func failure(_ reason: String) -> RestClientError { RestClientError(.signingFailed, reason) }
}
