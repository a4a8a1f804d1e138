// SPDX-License-Identifier: MIT

/// Records elements in order, and lets a test wait for them.
///
/// Record from any context, synchronously, and compare ``elements`` with a literal list once there are as many as the
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

    /// The elements recorded so far, oldest first.
    public var elements: [Element] {
        monitor.value
    }

    /// The number of recorded elements.
    public var count: Int {
        monitor.value.count
    }

    /// Appends an element and resumes the tasks that waited for it.
    ///
    /// - Parameter element: The element.
    public func record(_ element: Element) {
        monitor.update { elements in elements.append(element) }
    }

    /// Removes all elements.
    ///
    /// - Returns: The removed elements.
    @discardableResult
    public func removeAll() -> [Element] {
        monitor.update { elements in
            let removed = elements
            elements = []
            return removed
        }
    }

    /// Waits until at least `count` elements have been recorded.
    ///
    /// - Parameter count: The number of elements.
    /// - Returns: All elements, which may be more than `count`.
    /// - Throws: `CancellationError` if the task is cancelled.
    @discardableResult
    public func waitForCount(_ count: Int) async throws -> [Element] {
        try await monitor.wait { elements in elements.count >= count ? elements : nil }
    }

    /// Waits until the elements meet a condition.
    ///
    /// - Parameter isDone: Returns true if all elements so far meet the condition. It is called with the recorder's
    ///   lock held, so it must not use the recorder.
    /// - Returns: All elements.
    /// - Throws: `CancellationError` if the task is cancelled.
    @discardableResult
    public func wait(until isDone: @escaping @Sendable ([Element]) -> Bool) async throws -> [Element] {
        try await monitor.wait { elements in isDone(elements) ? elements : nil }
    }

    /// Waits for a matching element, already recorded or not, and returns the oldest one.
    @discardableResult
    package func waitForElement(where isMatch: @escaping @Sendable (Element) -> Bool) async throws -> Element {
        try await monitor.wait { elements in elements.first(where: isMatch) }
    }
}
