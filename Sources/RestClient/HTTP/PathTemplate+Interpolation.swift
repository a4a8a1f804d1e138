// SPDX-License-Identifier: MIT

extension PathTemplate: ExpressibleByStringInterpolation {
    /// Collects the text and the values of a path given as a string literal.
    ///
    /// A value is percent-encoded as one segment: it can neither add a segment nor remove one. Prefer a placeholder if
    /// events and dummies are to recognize the calls of one operation:
    ///
    /// ```swift
    /// manager.request(Order.self).endpoint("/orders/\(id)")
    /// manager.request(Order.self).endpoint("/orders/{id}").parameter("id", id)
    /// ```
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var source = ""
        fileprivate var defect: Defect?

        /// Begins a path.
        public init(literalCapacity: Int, interpolationCount: Int) {
            source.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        /// Appends text with its placeholders.
        public mutating func appendLiteral(_ literal: String) {
            source += literal
        }

        /// Appends a value as one segment, or as a part of one.
        public mutating func appendInterpolation(_ value: some JSONValueConvertible) {
            guard let text = value.jsonValue.scalarText, !text.isEmpty, text != ".", text != ".." else {
                let reason = "it contains a value that is empty, a list, '.' or '..', which cannot be a segment"
                defect = defect ?? Defect(reason: reason)
                return
            }
            source += PercentEncoding.encode(text)
        }
    }

    /// Parses a template given as a string literal with values.
    public init(stringInterpolation: StringInterpolation) {
        self.init(stringInterpolation.source, defect: stringInterpolation.defect)
    }
}
