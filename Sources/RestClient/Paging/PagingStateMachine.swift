// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// Iterates over a listing page by page: a pure value, without locks, tasks or I/O.
///
/// One page is loaded at a time. A failure keeps the position, so that the next ``moveNext()`` loads the same page
/// again. A prefetched page is kept until it is requested. Results that arrive after a reset are ignored.
struct PagingStateMachine<Page: Sendable>: Sendable {
    struct Load: Sendable, Hashable {
        let position: PagePosition
        fileprivate let number: Int

        // The number is enough; positions may be any text of a server.
        static func == (left: Load, right: Load) -> Bool { left.number == right.number }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    enum Step: Sendable {
        /// Load it and report ``PagingStateMachine/loaded(_:_:for:)`` or ``PagingStateMachine/failed(_:for:)``.
        case load(Load)
        /// The page is available; the load is for the page to prefetch.
        case deliver(Page, ahead: Load?)
        /// The page is being prefetched: it arrives with ``PagingStateMachine/loaded(_:_:for:)``.
        case wait(Load)
        /// Another caller waits for the page; a list on screen ignores this, because the page arrives anyway.
        case busy
        case end(PagingEnd)
        case fail(RestClientError)
    }

    enum Outcome: Sendable {
        /// The waiting caller receives the page; the load is for the page to prefetch.
        case deliver(Page, ahead: Load?)
        /// The response has no content, and another page follows: the load goes on with that one.
        case goOn(Load)
        /// The response has no content, and no page follows: the waiting caller receives nothing.
        case end
        case fail(any Error)
        case none
    }

    private struct Ready: Sendable {
        let page: Page
        let facts: PageFacts
        let position: PagePosition
    }

    private enum Phase: Sendable {
        case idle
        case loading(Load, isWanted: Bool)
        case ready(Ready)
    }

    let rule: PageScheme
    private(set) var state: PagingState

    private var phase = Phase.idle
    private var loadCount = 0
    /// The hashes of the cursors and URLs so far, stored instead of the texts because a listing may be long.
    private var visited: Set<Int> = []
    private var lastDigest: Int?
    /// The reason why there is no next page although the listing has not ended.
    private var failure: RestClientError?
    private var hasReportedFailure = false

    init(_ rule: PageScheme) {
        self.rule = rule
        state = PagingState(position: rule.first)
        visit(rule.first)
    }

    /// True if there may be another page: also after a failed load, and while a page is loaded.
    var canMoveNext: Bool {
        if failure != nil {
            return !hasReportedFailure
        }
        return state.position != nil && !hasReachedLimit
    }

    var isLoading: Bool {
        if case .loading(_, isWanted: true) = phase { true } else { false }
    }

    func isAwaiting(_ load: Load) -> Bool {
        if case .loading(load, _) = phase { true } else { false }
    }

    // MARK: - Events

    mutating func moveNext() -> Step {
        if let failure {
            hasReportedFailure = true
            return .fail(failure)
        }
        switch phase {
        case .ready(let ready):
            phase = .idle
            return .deliver(ready.page, ahead: advance(ready))
        case .loading(_, isWanted: true):
            return .busy
        case .loading(let load, isWanted: false):
            phase = .loading(load, isWanted: true)
            return .wait(load)
        case .idle:
            guard let position = state.position else {
                return .end(.lastPage)
            }
            guard !hasReachedLimit else {
                return .end(.limit)
            }
            return .load(begin(position, isWanted: true))
        }
    }

    mutating func loaded(_ page: Page, _ facts: PageFacts, for load: Load) -> Outcome {
        guard case .loading(load, let isWanted) = phase else {
            return .none
        }
        phase = .idle
        if let digest = facts.digest, digest == lastDigest, facts.itemCount > 0 {
            let error = RestClientError(
                .pageRepeated,
                "the server delivered the same page for two positions; it may ignore the parameter of the page"
            )
            failure = error
            hasReportedFailure = isWanted
            return isWanted ? .fail(error) : .none
        }
        let ready = Ready(page: page, facts: facts, position: load.position)
        guard isWanted else {
            phase = .ready(ready)
            return .none
        }
        return .deliver(page, ahead: advance(ready))
    }

    /// Records a response without content, which is not a page, but may refer to one.
    mutating func passedOver(_ facts: PageFacts, for load: Load) -> Outcome {
        guard case .loading(load, let isWanted) = phase else {
            return .none
        }
        phase = .idle
        if let next = pass(load.position, facts) {
            // Otherwise a listing of such responses would not end at the limit.
            state.pageCount = state.pageCount.addingClamped(1)
            if !hasReachedLimit {
                // It keeps its number, by which callers wait for it.
                let further = Load(position: next, number: load.number)
                phase = .loading(further, isWanted: isWanted)
                return .goOn(further)
            }
        }
        guard isWanted else {
            return .none
        }
        hasReportedFailure = failure != nil
        return failure.map { .fail($0) } ?? .end
    }

    /// Records that a page could not be loaded, or that its load was cancelled; the position stays.
    mutating func failed(_ error: any Error, for load: Load) -> Outcome {
        guard case .loading(load, let isWanted) = phase else {
            return .none
        }
        phase = .idle
        return isWanted ? .fail(error) : .none
    }

    /// Records that the caller left while it waited for a prefetched page, which is kept for the next caller.
    mutating func left(_ load: Load) {
        if case .loading(load, isWanted: true) = phase {
            phase = .loading(load, isWanted: false)
        }
    }

    /// Returns to the first page; returns the load to cancel.
    @discardableResult
    mutating func reset() throws(RestClientError) -> Load? {
        try restore(PagingState(position: rule.first))
    }

    /// Returns to a stored state, for example after a search; returns the load to cancel.
    ///
    /// Nothing changes if the state belongs to another kind of paging.
    @discardableResult
    mutating func restore(_ kept: PagingState) throws(RestClientError) -> Load? {
        if let position = kept.position, !rule.accepts(position) {
            throw RestClientError(.invalidPage, "the position of the page belongs to another kind of paging")
        }
        var running: Load?
        if case .loading(let load, _) = phase {
            running = load
        }
        phase = .idle
        state = kept
        visited = []
        lastDigest = nil
        failure = nil
        hasReportedFailure = false
        if let position = kept.position {
            visit(position)
        }
        return running
    }

    // MARK: - Rules

    private var hasReachedLimit: Bool { rule.pageLimit.map { state.pageCount >= $0 } ?? false }

    private mutating func begin(_ position: PagePosition, isWanted: Bool) -> Load {
        loadCount += 1
        let load = Load(position: position, number: loadCount)
        phase = .loading(load, isWanted: isWanted)
        return load
    }

    /// Moves past a page that is delivered; returns the page to prefetch.
    private mutating func advance(_ ready: Ready) -> Load? {
        state.pageCount = state.pageCount.addingClamped(1)
        state.itemCount = state.itemCount.addingClamped(max(0, ready.facts.itemCount))
        guard let next = pass(ready.position, ready.facts), rule.prefetches, !hasReachedLimit else {
            return nil
        }
        return begin(next, isWanted: false)
    }

    /// Moves past a response; returns the position of the next page.
    private mutating func pass(_ position: PagePosition, _ facts: PageFacts) -> PagePosition? {
        lastDigest = facts.digest
        for url in [facts.requestedURL, facts.url].compactMap(\.self) {
            visit(.url(url))
        }
        if let defect = facts.defect {
            // A page is delivered; a state that is stored now begins with it again, so that no page is lost.
            state.position = position
            failure = defect
            return nil
        }
        state.position = rule.position(after: position, facts)
        guard let next = state.position else {
            return nil
        }
        guard visit(next) else {
            // The page is delivered; a cycle of pages is reported as an error of the next one.
            failure = RestClientError(
                .pageRepeated,
                "the server refers to a page that it has already delivered; the listing would never end"
            )
            return nil
        }
        return next
    }

    /// Returns true if a position has not occurred before; counted positions never repeat.
    @discardableResult
    private mutating func visit(_ position: PagePosition) -> Bool {
        switch position {
        case .start, .offset, .number: true
        case .cursor(let text), .url(let text): visited.insert(RowKey(text).hashValue).inserted
        }
    }
}

enum PagingEnd: Sendable, Hashable {
    case lastPage
    case limit
}
