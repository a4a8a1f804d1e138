// SPDX-License-Identifier: MIT

import RestEssentials

/// The delay of a dummy's responses.
///
/// A varying delay depends only on its seed and the number of the dummy's call: the same calls have the same delays in
/// every run, however tasks interleave.
///
/// ```swift
/// Dummy(.get, "/orders").delay(.uniform(.milliseconds(20)...(.milliseconds(80)), seed: 7)).responds(.json(orders))
/// ```
public struct DummyDelay: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: Hashable {
        case fixed(Duration)
        case uniform(Duration, Duration, seed: UInt64)
        case normal(mean: Duration, deviation: Duration, seed: UInt64)
        case logNormal(median: Duration, sigma: Double, seed: UInt64)
    }

    private let kind: Kind

    /// The same delay for every call.
    ///
    /// - Parameter duration: The duration; none if it is negative.
    /// - Returns: The delay.
    public static func fixed(_ duration: Duration) -> DummyDelay {
        DummyDelay(kind: .fixed(max(.zero, duration)))
    }

    /// The same delay for every call, in milliseconds.
    ///
    /// - Parameter count: The number of milliseconds.
    /// - Returns: The delay.
    public static func milliseconds(_ count: some BinaryInteger) -> DummyDelay {
        fixed(.milliseconds(Int64(clamping: count)))
    }

    /// The same delay for every call, in seconds.
    ///
    /// - Parameter count: The number of seconds.
    /// - Returns: The delay.
    public static func seconds(_ count: some BinaryInteger) -> DummyDelay {
        fixed(.seconds(Int64(clamping: count)))
    }

    /// Delays distributed uniformly over a range.
    ///
    /// - Parameters:
    ///   - range: The shortest and the longest delay.
    ///   - seed: Determines the sequence of delays; random by default.
    /// - Returns: The delay.
    public static func uniform(
        _ range: ClosedRange<Duration>,
        seed: UInt64 = .random(in: 0 ... .max)
    ) -> DummyDelay {
        DummyDelay(kind: .uniform(max(.zero, range.lowerBound), max(.zero, range.upperBound), seed: seed))
    }

    /// Delays with a normal distribution.
    ///
    /// Negative ones become zero.
    ///
    /// - Parameters:
    ///   - mean: The mean.
    ///   - standardDeviation: The standard deviation.
    ///   - seed: Determines the sequence of delays; random by default.
    /// - Returns: The delay.
    public static func normal(
        mean: Duration,
        standardDeviation: Duration,
        seed: UInt64 = .random(in: 0 ... .max)
    ) -> DummyDelay {
        DummyDelay(kind: .normal(mean: mean, deviation: standardDeviation, seed: seed))
    }

    /// Delays with a log-normal distribution, like those of real servers: most near the median, a few far beyond it.
    ///
    /// - Parameters:
    ///   - median: Half of the delays are shorter.
    ///   - sigma: The standard deviation of the logarithm. With 0.5, one delay in a hundred is over three times the
    ///   median.
    ///   - seed: Determines the sequence of delays; random by default.
    /// - Returns: The delay.
    public static func logNormal(
        median: Duration,
        sigma: Double,
        seed: UInt64 = .random(in: 0 ... .max)
    ) -> DummyDelay {
        DummyDelay(kind: .logNormal(median: median, sigma: sigma, seed: seed))
    }

    /// Returns the delay of a call by its number, from 1: equal for equal numbers, and never negative.
    func duration(ofCall number: Int) -> Duration {
        switch kind {
        case .fixed(let duration):
            return duration
        case .uniform(let low, let high, let seed):
            return low + (high - low) * Self.fraction(seed, number, stream: 0)
        case .normal(let mean, let deviation, let seed):
            return max(.zero, mean + deviation * Self.deviate(seed, number))
        case .logNormal(let median, let sigma, let seed):
            let factor = exp(sigma * Self.deviate(seed, number))
            return factor.isFinite ? max(.zero, min(median, .century) * min(factor, 1_000_000)) : .zero
        }
    }

    /// The kind of delay.
    public var description: String {
        switch kind {
        case .fixed(let duration): "\(duration)"
        case .uniform(let low, let high, _): "\(low) to \(high)"
        case .normal(let mean, let deviation, _): "\(mean) ± \(deviation)"
        case .logNormal(let median, let sigma, _): "\(median), log-normal with sigma \(sigma)"
        }
    }

    /// Returns a normal deviate with mean 0 and deviation 1 (Box and Muller).
    private static func deviate(_ seed: UInt64, _ number: Int) -> Double {
        let radius = (-2 * log(1 - fraction(seed, number, stream: 0))).squareRoot()
        return radius * cos(2 * .pi * fraction(seed, number, stream: 1))
    }

    /// Returns a number from 0 up to but not including 1 (SplitMix64).
    private static func fraction(_ seed: UInt64, _ number: Int, stream: UInt64) -> Double {
        let place = (UInt64(truncatingIfNeeded: number) &* 2 &+ stream) &* 0x9E37_79B9_7F4A_7C15
        return Double(SplitMix64.mix(seed &+ place) >> 11) * 0x1p-53
    }
}
