// SPDX-License-Identifier: MIT

#if Tracing

import InMemoryTracing
import Tracing

extension FinishedInMemorySpan {
    /// The attributes, as texts.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        func note(_ name: String, _ value: SpanAttribute) {
            switch value {
            case .string(let value): texts[name] = value
            case .int32(let value): texts[name] = "\(value)"
            case .int64(let value): texts[name] = "\(value)"
            default: texts[name] = "\(value)"
            }
        }
        attributes.forEach(note)
        return texts
    }
}

#endif
