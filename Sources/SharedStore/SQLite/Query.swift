// SPDX-License-Identifier: MIT

/// The text of a statement that connections prepare once and keep.
///
/// It is identified by reference, so that finding the prepared statement does not hash hundreds of characters. Create
/// each one once, not for every call.
final class Query: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
