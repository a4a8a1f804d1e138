// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import JobGraphs
@testable import RestClient
@testable import SharedStore

/// The text that programs with all of Foundation show.
@Suite
struct LocalizedErrorTests {
    private static let errors: [(any Error & Sendable, String)] = [
        (RestClientError(.timeout, "the call did not end in time"), "the call did not end in time"),
        (JobGraphError(.timeout, "the run did not end in time"), "the run did not end in time"),
        (StoreError(.closed, "the store is closed"), "the store is closed"),
        (EnvelopeError(code: "E7", message: "sold out"), "sold out"),
        (EnvelopeError(code: "E7", message: nil), "the server responded with code E7"),
    ]

    @Test(arguments: errors.indices)
    func `the localized description is the message`(index: Int) {
        let (error, text) = Self.errors[index]

        #expect(error.localizedDescription == text)
    }

    @Test
    func `a text of one's own for a status is the localized description`() {
        var error = RestClientError(.unacceptableStatus, "the server responded with 503")
        error.parts.message = "We are closed"

        #expect((error as any Error).localizedDescription == "We are closed")
    }
}
