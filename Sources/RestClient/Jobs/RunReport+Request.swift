// SPDX-License-Identifier: MIT

public import JobGraphs

// The phases and sources that requests add to a report.

extension RunReport.Phase {
    /// The host lookup, the connection, and the TLS handshake.
    public static let connecting = Self(rawValue: "connecting")
    /// Waiting for a token to be obtained.
    public static let authenticating = Self(rawValue: "authenticating")
    /// Waiting for a connection that other requests use.
    public static let blocked = Self(rawValue: "blocked")
    /// Sending the request.
    public static let sending = Self(rawValue: "sending")
    /// Waiting for the first byte of the response.
    public static let waiting = Self(rawValue: "waiting")
    /// Receiving the response.
    public static let receiving = Self(rawValue: "receiving")
}

extension RunReport.Source {
    /// The server.
    public static let network = Self(rawValue: "network")
    /// The cache.
    public static let cache = Self(rawValue: "cache")
    /// The cache, after the server confirmed the response.
    public static let revalidatedCache = Self(rawValue: "revalidatedCache")
    /// A dummy responder.
    public static let dummy = Self(rawValue: "dummy")
    /// A result handler that turned a failure into a model.
    public static let resultHandler = Self(rawValue: "resultHandler")
    /// A value that replaced a failure.
    public static let fallback = Self(rawValue: "fallback")

    /// The source of a response, without its age.
    init(_ source: ResponseSource) {
        switch source {
        case .network: self = .network
        case .cache: self = .cache
        case .revalidatedCache: self = .revalidatedCache
        case .dummy: self = .dummy
        case .resultHandler: self = .resultHandler
        case .fallback: self = .fallback
        }
    }
}
