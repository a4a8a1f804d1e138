// SPDX-License-Identifier: MIT

/// The text of a statement that connections prepare once and keep.
///
/// It is known by its identity, so that finding the prepared statement does not hash some hundred characters; make each
/// one once, not with every call.
final class Query: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
