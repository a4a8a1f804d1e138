// SPDX-License-Identifier: MIT

/// An exchange whose server may be held to a pace.
protocol PacedExchange: AnyObject, Sendable {
    var progress: PaceRule.Progress { get }

    func expire(because delay: PaceRule.Delay)
}
