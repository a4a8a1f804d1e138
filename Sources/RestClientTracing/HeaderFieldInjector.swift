// SPDX-License-Identifier: MIT

import HTTPTypes
import Tracing

/// Writes what a tracer passes on into header fields.
struct HeaderFieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        // A tracer's names are none of the user's; one that HTTP forbids can only be left out.
        if let name = HTTPField.Name(key) {
            fields[name] = value
        }
    }
}
