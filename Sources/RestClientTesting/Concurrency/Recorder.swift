// SPDX-License-Identifier: MIT

/// Keeps what happened, in order, and lets a test wait for it.
///
/// Record from anywhere, synchronously; then compare ``elements`` with a literal list, once as many have come as the
/// test expects:
///
/// ```swift
/// let recorder = Recorder<Event>()
/// let token = manager.observe { event in recorder.record(event) }
/// …
/// #expect(try await recorder.waitForCount(3) == [.started, .cacheHit, .finished])
/// ```
public final class Recorder<Element: Sendable>: Sendable {
    private let monitor = Monitor<[Element]>([])

    /// Creates an empty recorder.
    public init() {}

    /// Everything recorded so far, oldest first.
    public var elements: [Element] {
        monitor.value
    }

    /// How many elements have been recorded.
    public var count: Int {
        monitor.value.count
    }

    /// Appends an element and wakes whoever waited for it.
    ///
    /// - Parameter element: What happened.
    public func record(_ element: Element) {
        monitor.update { elements in elements.append(element) }
    }

    /// Forgets everything recorded so far.
    ///
    /// - Returns: What has been forgotten.
    @discardableResult
    public func removeAll() -> [Element] {
        monitor.update { elements in
            let removed = elements
            elements = []
            return removed
        }
    }

    /// Waits until at least so many elements have been recorded.
    ///
    /// - Parameter count: How many elements are waited for.
    /// - Returns: Everything recorded by then, which may be more than `count`.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    @discardableResult
    public func waitForCount(_ count: Int) async throws -> [Element] {
        try await monitor.wait { elements in elements.count >= count ? elements : nil }
    }

    /// Waits until what has been recorded is as wanted.
    ///
    /// - Parameter isDone: Looks at everything recorded so far. It is called with the recorder's lock held, so it must not
    ///   use the recorder.
    /// - Returns: Everything recorded by then.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    @discardableResult
    public func wait(until isDone: @escaping @Sendable ([Element]) -> Bool) async throws -> [Element] {
        try await monitor.wait { elements in isDone(elements) ? elements : nil }
    }

    /// Waits for an element that fits, recorded already or still to come.
    ///
    /// - Parameter isMatch: Says whether an element is the one waited for. It is called with the recorder's lock held,
    ///   so it must not use the recorder.
    /// - Returns: The oldest element that fits.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    @discardableResult
    public func waitForElement(where isMatch: @escaping @Sendable (Element) -> Bool) async throws -> Element {
        try await monitor.wait { elements in elements.first(where: isMatch) }
    }
}
