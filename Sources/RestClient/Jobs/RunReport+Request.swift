// SPDX-License-Identifier: MIT

public import JobGraphs

// What requests add to the words of a report.

extension RunReport.Phase {
    /// Looking up the host's address, connecting, and the TLS handshake.
    public static let connecting = Self(rawValue: "connecting")
    /// Sending the request.
    public static let sending = Self(rawValue: "sending")
    /// Waiting for the first byte of the response.
    public static let waiting = Self(rawValue: "waiting")
    /// Receiving the response.
    public static let receiving = Self(rawValue: "receiving")
    /// Decoding the model from the response.
    public static let decoding = Self(rawValue: "decoding")
}

extension RunReport.Source {
    /// From the server.
    public static let network = Self(rawValue: "network")
    /// From the cache.
    public static let cache = Self(rawValue: "cache")
    /// From the cache, after the server confirmed it.
    public static let revalidatedCache = Self(rawValue: "revalidatedCache")
    /// From a dummy responder.
    public static let dummy = Self(rawValue: "dummy")
    /// From a result handler that turned a failure into a model.
    public static let resultHandler = Self(rawValue: "resultHandler")

    /// The source of a response, without its age.
    init(_ source: ResponseSource) {
        switch source {
        case .network: self = .network
        case .cache: self = .cache
        case .revalidatedCache: self = .revalidatedCache
        case .dummy: self = .dummy
        case .resultHandler: self = .resultHandler
        }
    }
}
