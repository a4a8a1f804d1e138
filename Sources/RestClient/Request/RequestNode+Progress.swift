// SPDX-License-Identifier: MIT

import RestEssentials

extension RequestNode {
    /// Adds a handler that is called while the bodies of the request and of the response are transferred, a few times a
    /// second, and at the end of each.
    ///
    /// ```swift
    /// let line = ProgressLine("today.tar")
    /// try await manager.request(.backup).method(.put).body(.file("/backups/today.tar"))
    ///     .onProgress(of: .sent) { line.show($0.transfer) }.send()
    /// ```
    ///
    /// Each attempt, and each redirect, begins again from zero. Bytes sent are those on the wire, bytes received those
    /// behind a content coding: of a compressed response the total is not known. A response from the cache has no
    /// progress. A stream reports while it is read, and a download as one transfer; server-sent events and web sockets
    /// call no handlers. The handler runs where the others do (``callbacks(on:)``), one report at a time; a report that
    /// a later one overtakes is left out, and none comes once the call has ended.
    ///
    /// - Parameters:
    ///   - direction: The bodies that count; `nil`, the default, for those of the request and of the response.
    ///   - handler: Takes the progress.
    /// - Returns: A changed copy.
    public consuming func onProgress(
        of direction: CallProgress.Direction? = nil,
        _ handler: @escaping @Sendable (CallProgress) -> Void
    ) -> Self {
        handlers.callbacks.onProgress.append { progress in
            if direction == nil || progress.direction == direction {
                handler(progress)
            }
        }
        return self
    }

    /// Returns the steps of the call as a sequence: its progress, and then its response.
    ///
    /// ```swift
    /// for try await step in manager.request(.photo).body(.file(path)).steps() {
    ///     switch step {
    ///     case .progress(let progress): show(progress.transfer.fraction)
    ///     case .response(let response): show(response.model)
    ///     }
    /// }
    /// ```
    ///
    /// Nothing happens until it is iterated; each iteration is a new call. A consumer that is slow misses
    /// reports, and never the response. Ending the iteration early, or cancelling its task, cancels the call.
    ///
    /// - Returns: The steps.
    public func steps() -> some AsyncSequence<CallStep<Model>, any Error> & Sendable {
        // The response is the last value, so that it is the one which stays for a slow consumer.
        DeferredStream<CallStep<Model>>(buffering: .bufferingNewest(1)) { [self] continuation in
            let node = onProgress { continuation.yield(.progress($0)) }
            continuation.yield(.response(try await node.sender.response(node)))
        }
    }
}

extension RequestSpecification {
    /// Returns the request with the scopes of its task as takers of its progress; `nil` if that changes nothing.
    func reporting(to scopes: TaskScope<ProgressScope>) -> RequestSpecification? {
        let scopes = scopes.contents
        guard !scopes.isEmpty else {
            return nil
        }
        var sinks = options[.progress] ?? ProgressSinks()
        guard sinks.isOpen else {
            return nil
        }
        sinks.scopes = scopes
        var specification = self
        specification.options[.progress] = sinks
        return specification
    }

    mutating func report(to handler: @escaping ProgressSinks.Handler) {
        options[.progress, default: ProgressSinks()].handlers.append(handler)
    }
}

/// A step of a call whose progress is followed.
public enum CallStep<Model: Sendable>: Sendable {
    /// A body has come further.
    case progress(CallProgress)
    /// The response has come: the last step.
    case response(Response<Model>)
}
