// SPDX-License-Identifier: MIT

#if Tracing

import InMemoryTracing
import Tracing

extension InMemoryTracer {
    /// The spans that have ended, each a line with its name and how it ended, two spaces further in than its parent.
    ///
    /// Siblings are sorted, because those that run at once end in any order.
    var tree: [String] {
        let spans = finishedSpans
        let known = Set(spans.map(\.spanID))
        func lines(_ spans: [FinishedInMemorySpan], indent: String) -> [String] {
            spans.map { span in
                [indent + span.operationName + span.end]
                    + lines(self.finishedSpans.filter { $0.parentSpanID == span.spanID }, indent: indent + "  ")
            }
            .sorted { $0.lexicographicallyPrecedes($1) }
            .flatMap { $0 }
        }
        return lines(spans.filter { $0.parentSpanID.map { !known.contains($0) } ?? true }, indent: "")
    }

    /// The spans of calls, in the order of their ends.
    var calls: [FinishedInMemorySpan] { finishedSpans.filter { $0.texts["rest_client.call.id"] != nil } }
}

extension FinishedInMemorySpan {
    /// How the span ended: the kind of its error, its outcome, its source or its status.
    fileprivate var end: String {
        if status?.code == .error {
            return " error \(texts["error.type"] ?? "")"
        }
        let names = ["rest_client.outcome", "rest_client.source", "http.response.status_code"]
        return names.compactMap { texts[$0] }.first.map { " \($0)" } ?? ""
    }
}

#endif
