// SPDX-License-Identifier: MIT

/// The changes that a channel receives, until the sequence and its iterator are released.
struct ChangeSequence<Element: Sendable>: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        let channel: ChangeChannel<Element>
        let token: ObservationToken

        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await channel.next()
        }
    }

    let channel: ChangeChannel<Element>
    let token: ObservationToken

    func makeAsyncIterator() -> Iterator {
        Iterator(channel: channel, token: token)
    }
}
