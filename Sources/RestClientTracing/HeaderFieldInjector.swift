// SPDX-License-Identifier: MIT

#if AsyncHTTPClient || Tracing

import HTTPTypes
import Tracing

/// Writes a tracer's context into header fields.
struct HeaderFieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        // The names come from the tracer. One that HTTP forbids can only be omitted.
        if let name = HTTPField.Name(key) {
            fields[name] = value
        }
    }
}

#endif
