// SPDX-License-Identifier: MIT

/// Those that the progress of a call is reported to.
struct ProgressSinks: Sendable {
    /// Takes the progress of one call.
    typealias Handler = @Sendable (CallProgress) -> Void

    var handlers: [Handler] = []
    var scopes: [ProgressScope] = []

    /// False if another one reports for the call, as a download does for its requests.
    var isOpen = true

    /// True if nobody wants a report.
    var isEmpty: Bool { handlers.isEmpty && scopes.isEmpty }

    /// No reports, whatever the surroundings want.
    static let closed: ProgressSinks = {
        var sinks = ProgressSinks()
        sinks.isOpen = false
        return sinks
    }()
}

extension CallOptionKey<ProgressSinks> {
    /// Those that want reports of the call.
    static var progress: Self { Self("progress", needs: .progress) { _ in "reported" } }
}

extension CallOptionKey<Bool> {
    /// True if the progress of the call is an event.
    static var progressEvents: Self { Self("progress events", comparison: .byValue, needs: .progress) { "\($0)" } }
}
