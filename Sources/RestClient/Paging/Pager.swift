// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Loads the pages of a listing on demand, for a list on screen.
///
/// ```swift
/// let pager = manager.request(.orders).pages(.number().size(50, as: "per_page")).pager()
///
/// func lastRowIsVisible() async throws {
///     guard let page = try await pager.moveNext() else { return }
///     rows += page.items
/// }
/// func pullToRefresh() async throws {
///     pager.reset()
///     rows = try await pager.moveNext()?.items ?? []
/// }
/// ```
///
/// One page is loaded at a time, even if several tasks call it concurrently. A failure keeps the position: the next
/// ``moveNext()`` loads the same page again. Releasing the pager cancels a page that is being prefetched.
public final class Pager<Model: Sendable, Item: Sendable>: Sendable {
    private typealias Page = Pages<Model, Item>.Page
    private typealias Content = Pages<Model, Item>.Content
    private typealias Machine = PagingStateMachine<Content>
    private typealias Waiting = Waiters<Machine.Load, Result<Page?, any Error>>

    private struct State {
        var machine: Machine
        var waiters = Waiting()
        /// Cancels the load that is under way, for a caller or ahead of it; it may have ended.
        var work: (any CancellableWork)?
    }

    private let pages: Pages<Model, Item>
    private let state: Mutex<State>

    init(_ pages: Pages<Model, Item>) {
        self.pages = pages
        state = Mutex(State(machine: pages.machine))
    }

    deinit {
        state.withLock { $0.work }?.cancel()
    }

    /// Loads the next page.
    ///
    /// Cancelling the task cancels the call for the page; the position stays.
    ///
    /// - Returns: The page; `nil` at the end of the listing, if another task is already waiting for the page, or if
    ///   ``reset()`` or ``restore(_:)`` was called in the meantime, which cancels the call for the page.
    ///   ``canMoveNext`` distinguishes the end.
    /// - Throws: The error of the call, or ``RestClientError`` with the code
    ///   ``RestClientError/Code-swift.struct/pageRepeated`` if the server sends a page again and
    ///   ``RestClientError/Code-swift.struct/pageRefused`` if it refers to a page that must not be followed.
    public func moveNext() async throws -> Pages<Model, Item>.Page? {
        let cancellation = CallCancellation()
        let (step, next) = state.withLock { state -> (Machine.Step, PagingState) in
            let step = state.machine.moveNext()
            if case .load = step {
                state.work = cancellation
            }
            return (step, state.machine.state)
        }
        switch step {
        case .load(let load): return try await loaded(load, cancellation)
        case .wait(let load): return try await wait(for: load)
        case .deliver(let content, let ahead): return deliver(content, next, ahead)
        case .busy, .end: return nil
        case .fail(let error): throw error
        }
    }

    /// A Boolean value that indicates whether there may be another page.
    ///
    /// It stays true while a page is loaded, and after a page could not be loaded.
    public var canMoveNext: Bool { state.withLock { $0.machine.canMoveNext } }

    /// A Boolean value that indicates whether a task waits for a page.
    public var isLoading: Bool { state.withLock { $0.machine.isLoading } }

    /// The position in the listing; store it to continue later with ``restore(_:)`` or ``Pages/starting(from:)``.
    public var position: PagingState { state.withLock { $0.machine.state } }

    /// Returns to the first page.
    ///
    /// A load that is under way is cancelled, and the task that waits for it gets `nil`.
    public func reset() {
        // The first position always belongs to the rule.
        try? move { machine throws(RestClientError) in try machine.reset() }
    }

    /// Returns to an earlier position, for example after a search, or moves to any page, such as that of the 40th item
    /// with `PagingState(position: .offset(40))`.
    ///
    /// A load that is under way is cancelled, and the task that waits for it gets `nil`.
    ///
    /// - Parameter position: An earlier value of ``position``, or the position of the page that ``moveNext()`` loads.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/invalidPage`` if the position
    ///   belongs to another kind of paging; nothing changes in that case.
    public func restore(_ position: PagingState) throws(RestClientError) {
        try move { machine throws(RestClientError) in try machine.restore(position) }
    }

    private func move(
        _ change: (inout Machine) throws(RestClientError) -> Machine.Load?
    ) throws(RestClientError) {
        let (work, wakeups) = try state.withLock { state throws(RestClientError) in
            let running = try change(&state.machine)
            defer { state.work = nil }
            return (running == nil ? nil : state.work, state.waiters.withdrawAll(with: .success(nil)))
        }
        work?.cancel()
        for wakeup in wakeups {
            wakeup.resume()
        }
    }

    // MARK: - Loading

    private static func page(_ content: Content, _ next: PagingState) -> Page {
        Page(items: content.items, response: content.response, next: next)
    }

    private func deliver(_ content: Content, _ next: PagingState, _ ahead: Machine.Load?) -> Page {
        if let ahead {
            loadAhead(ahead)
        }
        return Self.page(content, next)
    }

    private func loaded(_ load: Machine.Load, _ cancellation: CallCancellation) async throws -> Page? {
        var load = load
        while true {
            let position = load.position
            let result = try await cancellation.waits { [pages] in await pages.result(at: position) }
            let (outcome, next) = state.withLock { Self.settle(load, result, &$0.machine) }
            switch outcome {
            case .deliver(let content, let ahead): return deliver(content, next, ahead)
            case .goOn(let further): load = further
            case .end, .none: return nil
            case .fail(let error): throw error
            }
        }
    }

    private static func settle(
        _ load: Machine.Load,
        _ result: Pages<Model, Item>.Loaded,
        _ machine: inout Machine
    ) -> (outcome: Machine.Outcome, next: PagingState) {
        let outcome: Machine.Outcome
        switch result {
        case .success((let content?, let facts)): outcome = machine.loaded(content, facts, for: load)
        case .success((.none, let facts)): outcome = machine.passedOver(facts, for: load)
        case .failure(let error): outcome = machine.failed(error, for: load)
        }
        return (outcome, machine.state)
    }

    private func loadAhead(_ load: Machine.Load) {
        let task = Task { [pages, weak self] in
            var next: Machine.Load? = load
            while let load = next {
                let result = await pages.result(at: load.position)
                next = self?.finish(load, result)
            }
        }
        let isObsolete = state.withLock { state in
            guard state.machine.isAwaiting(load) else {
                return true
            }
            state.work = task
            return false
        }
        if isObsolete {
            task.cancel()
        }
    }

    /// Ends a load that was begun ahead; returns the load with which it goes on.
    private func finish(_ load: Machine.Load, _ result: Pages<Model, Item>.Loaded) -> Machine.Load? {
        let (outcome, wakeup) = state.withLock { state -> (Machine.Outcome, Waiting.Wakeup?) in
            let (outcome, next) = Self.settle(load, result, &state.machine)
            switch outcome {
            case .deliver(let content, _):
                return (outcome, state.waiters.settle(load, with: .success(Self.page(content, next))))
            case .fail(let error): return (outcome, state.waiters.settle(load, with: .failure(error)))
            case .end: return (outcome, state.waiters.settle(load, with: .success(nil)))
            case .goOn, .none: return (outcome, nil)
            }
        }
        if case .deliver(_, let ahead?) = outcome {
            loadAhead(ahead)
        }
        wakeup?.resume()
        return if case .goOn(let next) = outcome { next } else { nil }
    }

    private func wait(for load: Machine.Load) async throws -> Page? {
        try await Waiting
            .wait { continuation in
                state.withLock { state in
                    let outcome = state.waiters.park(load, continuation, ifCancelled: .failure(CancellationError()))
                    if case .failure? = outcome {
                        state.machine.left(load)
                    }
                    guard outcome == nil, !state.machine.isAwaiting(load) else {
                        return outcome
                    }
                    // The position has changed since the load was chosen, and nothing else wakes this waiter.
                    _ = state.waiters.withdraw(load, with: .success(nil))
                    return .success(nil)
                }
            } onCancel: {
                state.withLock { state in
                    let wakeup = state.waiters.withdraw(load, with: .failure(CancellationError()))
                    if wakeup != nil {
                        state.machine.left(load)
                    }
                    return wakeup
                }
            }
            .get()
    }
}
