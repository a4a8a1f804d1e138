// SPDX-License-Identifier: MIT

public import Synchronization

/// A part that may be attached while the program runs; as long as there is none, looking for it costs one atomic read.
///
/// Of several parts the one that was attached last is current.
public final class Attachment<Part: Sendable>: Sendable {
    private struct State {
        var parts: [(id: Int, part: Part)] = []
        var lastID = 0
    }

    @usableFromInline let isPresent = Atomic<Bool>(false)
    private let state = Mutex(State())

    /// Creates a place without a part.
    public init() {}

    /// The current part; `nil` if none is attached.
    @inlinable public var current: Part? {
        isPresent.load(ordering: .acquiring) ? latest : nil
    }

    @usableFromInline var latest: Part? { state.withLock { $0.parts.last?.part } }

    /// Attaches a part, which is the current one until another one is attached.
    ///
    /// - Parameter part: The part.
    /// - Returns: The identifier of the attachment, for ``detach(_:)``.
    public func attach(_ part: Part) -> Int {
        state.withLock { state in
            state.lastID += 1
            state.parts.append((state.lastID, part))
            isPresent.store(true, ordering: .releasing)
            return state.lastID
        }
    }

    /// Detaches a part; one that is not attached is ignored.
    ///
    /// - Parameter id: The identifier of the attachment.
    public func detach(_ id: Int) {
        state.withLock { state in
            state.parts.removeAll { $0.id == id }
            isPresent.store(!state.parts.isEmpty, ordering: .releasing)
        }
    }
}
