// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The running calls of a manager, each with its cancellable work.
final class CallTable: Sendable {
    fileprivate struct Entry: Sendable {
        enum Source: Sendable {
            case announced(@Sendable () -> RunningCall)
            case context(CallContext, model: Any.Type)
        }

        let id: CallID
        let source: Source
        /// The work that a cancellation ends; `nil` until the task of the call is known, which may run before that.
        var work: (any CancellableWork)?
        let scopes: [CancellationScope]
        /// The scope of dummies or of a recording in which the call began.
        let isolation: CallIsolation?
        /// True for a call that was announced, and is awaited until ``close(_:)``.
        var isAnnounced = false
        /// True once the call is cancelled: it is not listed any more, although it may not have ended yet.
        var isCancelled = false
        /// True once an announced call has a result, while its handlers run: it is not listed any more.
        var hasResult = false

        var isListed: Bool { !isCancelled && !hasResult }

        /// The series of which the call is a part; `nil` for none.
        var series: CallID? {
            switch source {
            case .announced: nil
            case .context(let context, _): context.policy.series?.id
            }
        }

        /// The description of the call; not made under the lock.
        var call: RunningCall {
            switch source {
            case .announced(let describe): describe()
            case .context(let context, let model): RunningCall(model: model, call: context)
            }
        }
    }

    fileprivate struct State {
        var entries: [CallID: Entry] = [:]
        /// The entries that are series of calls.
        var series: Set<CallID> = []
        /// The calls that exclude others with their key.
        var keys: [DuplicateKey: CallID] = [:]
        var waiters = Waiters<Int, Void>()
        /// The calls that each waiter still waits for.
        var awaited: [Int: Set<CallID>] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())
    /// Returns the scope of dummies or of a recording in which the current task is.
    private let isolation: @Sendable () -> CallIsolation?

    init(isolation: @escaping @Sendable () -> CallIsolation?) {
        self.isolation = isolation
    }

    /// Lists a call whose request is not built yet, and whose handlers run after its result: ``finish(where:)`` waits
    /// for it until ``close(_:)``.
    func announce(_ id: CallID, _ call: @escaping @Sendable () -> RunningCall) {
        enter(
            Entry(
                id: id,
                source: .announced(call),
                scopes: CancellationScope.current,
                isolation: isolation(),
                isAnnounced: true
            )
        )
    }

    /// Sets the work that a cancellation ends from now on; cancels it at once if the call is cancelled.
    func attach(_ work: any CancellableWork, to call: CallID) {
        if state.withLock({ $0.attach(work, to: call) }) {
            work.cancel()
        }
    }

    /// Removes an announced call that has ended.
    func close(_ call: CallID) {
        for wakeup in state.withLock({ $0.remove(call) }) {
            wakeup.resume()
        }
    }

    /// Lists a call that runs in its caller's task until ``leave(_:)-(CallContext)``; throws if it is a rejected
    /// duplicate, or cancelled already.
    func enter(_ context: CallContext, _ model: Any.Type) throws {
        try Task.checkCancellation()
        if let key = context.policy.duplicateKey {
            try reserve(key, for: context)
        }
        guard enter(Entry(context, model, work: context.makeCancellable(), CancellationScope.current, isolation()))
        else {
            leave(context)
            throw CancellationError()
        }
    }

    /// Enters a series of calls, which is running until ``leave(_:)``; it is listed whenever none of its calls is.
    ///
    /// It holds the key of its calls. If another call does now, its first call is rejected, or takes the key for the
    /// series once it is free.
    func enterSeries(_ context: CallContext, _ model: Any.Type, _ work: any CancellableWork) {
        state.withLock { state in
            state.series.insert(context.entryID)
            if let key = context.policy.duplicateKey {
                _ = state.reserve(key, for: context.entryID)
            }
        }
        enter(Entry(context, model, work: work, CancellationScope.current, isolation()))
    }

    /// Removes a call that has its result, or lists it no longer if it was announced; returns true if it was cancelled.
    ///
    /// One that is not there is ignored.
    @discardableResult
    func leave(_ context: CallContext) -> Bool {
        leave(context.entryID, key: context.policy.duplicateKey)
    }

    /// Removes a call as ``leave(_:)-(CallContext)`` does; it may have ended before its request was built.
    @discardableResult
    func leave(_ id: CallID, key: DuplicateKey? = nil) -> Bool {
        let (isCancelled, wakeups) = state.withLock { $0.leave(id, key: key) }
        for wakeup in wakeups {
            wakeup.resume()
        }
        return isCancelled
    }

    private func reserve(_ key: DuplicateKey, for context: CallContext) throws(RestClientError) {
        let series = context.policy.series?.id
        guard let running = state.withLock({ $0.reserve(key, for: context.entryID, partOf: series) }) else {
            return
        }
        throw RestClientError(
            .duplicateCall,
            "the call \(running) with the key '\(AliasText.shown(key.text))' has not ended; this one was rejected"
        )
    }

    /// Adds a call; false if it is cancelled already, and must not begin.
    @discardableResult
    private func enter(_ entry: Entry) -> Bool {
        let isCancelled = state.withLock { $0.enter(entry) }
        guard isCancelled || entry.scopes.contains(where: \.isOver) else {
            return true
        }
        cancel([entry])
        return false
    }

    /// Returns the selected calls of the task's scope, the oldest first.
    func running(where contains: (RunningCall) -> Bool) -> [RunningCall] {
        Self.listed(ownEntries).map(\.call).filter(contains)
    }

    /// Cancels the selected calls of the task's scope, the oldest first, and the series of which they are parts;
    /// returns the number of calls, without series.
    func cancel(where contains: (RunningCall) -> Bool) -> Int {
        let entries = ownEntries
        let chosen = Self.listed(entries).filter { contains($0.call) }
        let series = Set(chosen.compactMap(\.series))
        cancel(chosen + entries.filter { series.contains($0.id) })
        return chosen.count
    }

    /// Returns the entries that are listed: of a series its oldest call, or itself if it has none.
    private static func listed(_ entries: [Entry]) -> [Entry] {
        let listed = entries.filter(\.isListed)
        let busy = Set(listed.compactMap(\.series))
        guard !busy.isEmpty else {
            return listed
        }
        // The requests of a series that run side by side are one call.
        var shown: Set<CallID> = []
        return listed.filter { entry in
            !busy.contains(entry.id) && entry.series.map { shown.insert($0).inserted } != false
        }
    }

    /// The calls that are running, or were cancelled or have a result and have not ended, the oldest first.
    private var entries: [Entry] {
        state.withLock { Array($0.entries.values) }.sorted { $0.id < $1.id }
    }

    /// The calls that began in the same scope of dummies or of a recording as the task is in, or in one within it.
    private var ownEntries: [Entry] {
        let scope = isolation()
        return entries.filter { entry in
            scope.map { entry.isolation?.isInside($0) ?? false } ?? (entry.isolation == nil)
        }
    }

    private func cancel(_ entries: [Entry]) {
        dismiss(Set(entries.map(\.id)))
        for entry in entries {
            entry.work?.cancel()
        }
    }

    /// Lists a call no longer that is being cancelled, and lets others take its key.
    func dismiss(_ call: CallContext) {
        dismiss([call.entryID])
    }

    /// Lists calls no longer, and lets others take their keys; cancels the calls of a series among them.
    private func dismiss(_ calls: Set<CallID>) {
        for work in state.withLock({ $0.dismiss(calls) }) {
            work.cancel()
        }
    }

    /// Waits until the selected calls of the task's scope that are running now have ended, and their handlers have
    /// returned.
    func finished(where contains: (RunningCall) -> Bool) async {
        let calls = Set(ownEntries.filter { contains($0.call) }.map(\.id))
        let waiter = state.withLock { $0.wait(for: calls) }
        guard let waiter else {
            return
        }
        await Waiters<Int, Void>
            .wait { continuation in
                state.withLock { $0.waiters.park(waiter, continuation, ifCancelled: ()) }
            } onCancel: {
                state.withLock { state in
                    state.awaited[waiter] = nil
                    return state.waiters.withdraw(waiter, with: ())
                }
            }
    }

    /// Cancels the running calls that were started in a scope.
    func end(_ scope: CancellationScope) {
        scope.end()
        cancel(entries.filter { $0.isListed && $0.scopes.contains { $0 === scope } })
    }
}

extension CallTable.Entry {
    init(
        _ context: CallContext,
        _ model: Any.Type,
        work: (any CancellableWork)?,
        _ scopes: [CancellationScope],
        _ isolation: CallIsolation?
    ) {
        self.init(
            id: context.entryID,
            source: .context(context, model: model),
            work: work,
            scopes: scopes,
            isolation: isolation
        )
    }
}

extension CallTable.State {
    /// Adds a call, or what is known now of one that was announced; returns true if it has been cancelled already.
    mutating func enter(_ entry: CallTable.Entry) -> Bool {
        var entry = entry
        if let announced = entries[entry.id] {
            entry.isAnnounced = announced.isAnnounced
            entry.isCancelled = announced.isCancelled
        }
        if !series.isEmpty, let whole = entry.series, entries[whole]?.isCancelled == true {
            entry.isCancelled = true
        }
        entries[entry.id] = entry
        return entry.isCancelled
    }

    /// Reserves a key for a call, or for the series of which it is a part: the other parts may run beside it.
    ///
    /// Returns the call that holds the key; `nil` if the key was free, or is that of the call's series.
    mutating func reserve(_ key: DuplicateKey, for call: CallID, partOf series: CallID? = nil) -> CallID? {
        if let other = keys[key] {
            return other == series ? nil : other
        }
        // One that has ended would never free the key.
        let series = series.flatMap { self.series.contains($0) && entries[$0]?.isListed == true ? $0 : nil }
        keys[key] = series ?? call
        return nil
    }

    /// Adds the work that cancels a call; returns true if the call has been cancelled already.
    mutating func attach(_ work: any CancellableWork, to call: CallID) -> Bool {
        // Changing the entry in place would allocate memory for the accessors.
        guard var entry = entries[call] else {
            return false
        }
        entry.work = work
        entries[call] = entry
        return entry.isCancelled
    }

    /// Marks calls as cancelled, and frees their keys; returns the work of those that are parts of a cancelled series.
    mutating func dismiss(_ calls: Set<CallID>) -> [any CancellableWork] {
        var calls = calls
        var work: [any CancellableWork] = []
        if !series.isDisjoint(with: calls) {
            let parts = entries.values.filter { $0.series.map(calls.contains) == true }
            calls.formUnion(parts.map(\.id))
            work = parts.compactMap(\.work)
        }
        for call in calls {
            entries[call]?.isCancelled = true
        }
        if !keys.isEmpty {
            keys = keys.filter { !calls.contains($0.value) }
        }
        return work
    }

    /// Removes a call that has its result, unless its handlers are awaited; returns true if it was cancelled, and the
    /// waiters for which it was the last call.
    mutating func leave(_ id: CallID, key: DuplicateKey?) -> (isCancelled: Bool, [Waiters<Int, Void>.Wakeup]) {
        if let key, keys[key] == id {
            keys[key] = nil
        }
        if !series.isEmpty, series.contains(id) {
            // Its calls may have another key than itself, as that of another server.
            keys = keys.filter { $0.value != id }
        }
        guard var entry = entries[id] else {
            return (false, [])
        }
        guard entry.isAnnounced else {
            return (entry.isCancelled, remove(id))
        }
        entry.hasResult = true
        entry.work = nil
        entries[id] = entry
        return (entry.isCancelled, [])
    }

    /// Removes a call that has ended; returns the waiters for which it was the last one.
    mutating func remove(_ id: CallID) -> [Waiters<Int, Void>.Wakeup] {
        entries[id] = nil
        if !series.isEmpty {
            series.remove(id)
        }
        guard !awaited.isEmpty else {
            return []
        }
        for waiter in awaited.keys {
            awaited[waiter]?.remove(id)
        }
        let done = awaited.filter(\.value.isEmpty).keys
        awaited = awaited.filter { !$0.value.isEmpty }
        return done.compactMap { waiters.settle($0, with: ()) }
    }

    /// Adds a waiter; `nil` if all of the calls have ended.
    mutating func wait(for calls: Set<CallID>) -> Int? {
        let calls = calls.filter { entries[$0] != nil }
        guard !calls.isEmpty else {
            return nil
        }
        lastWaiter += 1
        awaited[lastWaiter] = calls
        return lastWaiter
    }
}

/// A scope of a program; the calls started in it are cancelled at its end.
final class CancellationScope: Sendable {
    static let scopes = TaskScope<CancellationScope>()

    private let over = Atomic<Bool>(false)

    static var current: [CancellationScope] { scopes.contents }

    /// A Boolean value that is true once the scope has ended: calls that a remaining task starts later are cancelled at
    /// once.
    var isOver: Bool { over.load(ordering: .acquiring) }

    func end() {
        over.store(true, ordering: .releasing)
    }
}

/// The key of calls that are alike, of which only one may be under way in a scope of dummies or outside of scopes.
struct DuplicateKey: Sendable, Hashable {
    let text: String
    private let scope: String?

    init(_ text: String, in isolation: CallIsolation?) {
        self.text = text
        scope = isolation?.name
    }
}
