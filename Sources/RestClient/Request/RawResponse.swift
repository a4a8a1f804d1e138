// SPDX-License-Identifier: MIT

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An answer before it is decoded: status, header fields and the whole body.
public struct RawResponse: Sendable {
    /// The status of the answer.
    public var status: HTTPResponse.Status

    /// The header fields of the answer; repeated ones stay separate, in order.
    public var headers: HTTPFields

    /// The body, with a gzip or deflate content coding already undone.
    public var body: Data

    /// Where the answer came from.
    public var source: ResponseSource

    /// The URL that answered, which differs from the request's after a redirect; `nil` when it is the request's.
    public var url: String?

    /// What is to be stored once the model has decoded.
    var pendingWrite: PendingCacheWrite?

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields.
    ///   - body: The whole body.
    ///   - source: Where the answer came from; the network by default.
    public init(
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        body: Data = Data(),
        source: ResponseSource = .network
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.source = source
    }
}
