// SPDX-License-Identifier: MIT

/// The stages that a call passes besides those that all calls pass, and how it passes them.
struct StageNeeds: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    /// The transport receives limits, pinned keys and the like.
    static let wire = StageNeeds(rawValue: 1 << 0)
    /// The call has interceptors, so that its stages are its own.
    static let interceptors = StageNeeds(rawValue: 1 << 1)
    /// The call waits or falls back after its response.
    static let ending = StageNeeds(rawValue: 1 << 3)

    // MARK: - Stages

    static let invalidation = StageNeeds(rawValue: 1 << 4)
    static let retry = StageNeeds(rawValue: 1 << 5)
    static let authentication = StageNeeds(rawValue: 1 << 6)
    static let headerProviders = StageNeeds(rawValue: 1 << 7)
    static let sharing = StageNeeds(rawValue: 1 << 8)
    static let hedging = StageNeeds(rawValue: 1 << 9)
    static let admission = StageNeeds(rawValue: 1 << 10)
    static let circuit = StageNeeds(rawValue: 1 << 17)
    /// The stage of retries counts the call.
    static let retryBudget = StageNeeds(rawValue: 1 << 18)
    static let attemptTimeout = StageNeeds(rawValue: 1 << 11)
    static let deadlineField = StageNeeds(rawValue: 1 << 12)
    static let cookies = StageNeeds(rawValue: 1 << 13)
    static let headerLimit = StageNeeds(rawValue: 1 << 14)
    static let progress = StageNeeds(rawValue: 1 << 15)
    static let dummies = StageNeeds(rawValue: 1 << 16)
    static let wireObserver = StageNeeds(rawValue: 1 << 19)
    static let signing = StageNeeds(rawValue: 1 << 20)

    static let stages = StageNeeds(rawValue: .max << 4)

    static let guards: StageNeeds = [.admission, .circuit, .retryBudget]

    /// The stages and terms that concern only a real server.
    static let real: StageNeeds = [.hedging, .guards, .deadlineField, .cookies, .headerLimit, .wire]
}
