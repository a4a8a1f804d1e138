// SPDX-License-Identifier: MIT

protocol PacedExchange: AnyObject, Sendable {
    var progress: PaceRule.Progress { get }

    func expire(because delay: PaceRule.Delay)
}
