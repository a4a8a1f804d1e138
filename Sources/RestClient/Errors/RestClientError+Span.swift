// SPDX-License-Identifier: MIT

import RestEssentials

extension RestClientError {
    struct Span: Sendable {
        let id: CallID
        let startedAt: Date
        let duration: Duration
    }
}
