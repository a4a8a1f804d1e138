// SPDX-License-Identifier: MIT

import RestEssentials

/// How bad things are in one simulation, drawn from its seed.
struct Weather: Sendable {
    /// The part of the requests that meet a fault of the network.
    var networkFaults = 0.0
    /// The part of the requests that meet a fault of the server.
    var serverFaults = 0.0
    /// The part of the writes that the disk refuses.
    var diskFaults = 0.0
    /// The usual time of one way between client and server.
    var latency = Duration.milliseconds(5)
    /// The usual time of a write.
    var diskLatency = Duration.milliseconds(1)
    /// How long a token is valid.
    var tokenLifetime = 2
    /// The part of the requests at which the server revokes all tokens.
    var revocations = 0.0

    init(_ generator: inout SplitMix64) {
        networkFaults = [0, 0.02, 0.1, 0.3].randomElement(using: &generator) ?? 0
        serverFaults = [0, 0.02, 0.1, 0.4].randomElement(using: &generator) ?? 0
        diskFaults = [0, 0, 0.02, 0.1].randomElement(using: &generator) ?? 0
        latency = .milliseconds([1, 5, 20, 100, 400].randomElement(using: &generator) ?? 5)
        diskLatency = .microseconds([1, 100, 1_000, 10_000].randomElement(using: &generator) ?? 1)
        tokenLifetime = [1, 2, 60].randomElement(using: &generator) ?? 2
        revocations = [0, 0, 0.05].randomElement(using: &generator) ?? 0
    }

    /// Nothing goes wrong.
    static var calm: Weather {
        var generator = SplitMix64(seed: 1)
        var weather = Weather(&generator)
        (weather.networkFaults, weather.serverFaults, weather.diskFaults, weather.revocations) = (0, 0, 0, 0)
        (weather.latency, weather.diskLatency, weather.tokenLifetime) = (.milliseconds(5), .milliseconds(1), 60)
        return weather
    }
}

extension SplitMix64 {
    /// Returns true with a probability.
    mutating func isHit(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }

    /// Returns a duration around the usual one: mostly shorter, now and then much longer.
    mutating func duration(around usual: Duration) -> Duration {
        let part = Double.random(in: 0..<1, using: &self)
        return usual * (isHit(0.1) ? 1 + 9 * part : 1.5 * part)
    }
}
