// SPDX-License-Identifier: MIT

/// Those that the progress of a call is reported to.
struct ProgressSinks: Sendable {
    typealias Handler = @Sendable (CallProgress) -> Void

    var handlers: [Handler] = []
    var scopes: [ProgressScope] = []

    /// False if another one reports for the call, as a download does for its requests.
    var isOpen = true

    var isEmpty: Bool { handlers.isEmpty && scopes.isEmpty }

    /// No reports, whatever the surroundings want.
    static let closed: ProgressSinks = {
        var sinks = ProgressSinks()
        sinks.isOpen = false
        return sinks
    }()
}

extension CallOptionKey<ProgressSinks> {
    static var progress: Self { Self("progress", needs: .progress) { _ in "reported" } }
}

extension CallOptionKey<Bool> {
    static var progressEvents: Self { Self("progress events", comparison: .byValue, needs: .progress) { "\($0)" } }
}
