// SPDX-License-Identifier: MIT

public import RestClient
import RestEssentials

/// An access key of AWS, or of a service that is signed for like AWS.
public struct AWSCredentials: Sendable, Hashable, MirroredByDescription {
    /// The name of the key, as in `AKIDEXAMPLE`, which is no secret.
    public var accessKeyID: String

    /// The secret part of the key.
    public var secretAccessKey: String

    /// The token of temporary keys; `nil` for permanent ones.
    public var sessionToken: String?

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - accessKeyID: The name of the key.
    ///   - secretAccessKey: The secret part of the key.
    ///   - sessionToken: The token of temporary keys. Defaults to `nil`, for permanent ones.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    /// Reads the variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
    ///
    /// - Parameter environment: The variables. Defaults to those of the process.
    /// - Throws: ``/RestClient/RestClientError`` with the code
    ///   ``/RestClient/RestClientError/Code-swift.struct/signingFailed`` if one of the first two is not set.
    public init(environment: [String: String]? = nil) throws(RestClientError) {
        let environment = environment ?? ProcessInfo.processInfo.environment
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

        guard let id = value("AWS_ACCESS_KEY_ID"), let secret = value("AWS_SECRET_ACCESS_KEY") else {
            throw RestClientError(
                .signingFailed,
                "there are no AWS credentials in the environment; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            )
        }
        self.init(accessKeyID: id, secretAccessKey: secret, sessionToken: value("AWS_SESSION_TOKEN"))
    }

    /// The name of the key, without its secret part and the token.
    public var description: String {
        "AWS credentials \(MessageText.of(accessKeyID, limit: MessageText.partLimit))"
    }
}
