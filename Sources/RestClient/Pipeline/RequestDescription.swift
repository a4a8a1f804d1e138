// SPDX-License-Identifier: MIT

/// The content of a node in a comparable form.
///
/// Only a node without a body has one, and only if its values are texts and whole numbers and its options can be
/// compared. Texts are compared by their bytes, because Swift considers some texts equal that lead to different URLs.
struct RequestDescription: Sendable {
    let hash: Int
    /// Target, method, path parameters and query, each text preceded by its length.
    private let bytes: [UInt8]
    private let options: CallOptions

    /// Returns the description of a node; `nil` if it cannot be compared.
    ///
    /// An initializer would be passed a copy of the node.
    static func of(_ specification: RequestSpecification) -> RequestDescription? {
        let target = specification.target
        guard case .none = specification.model, target.contradiction == nil, target.page == nil,
            target.alternative == nil, !specification.isStreamed, !specification.mayPause, specification.series == nil,
            specification.queryModels.isEmpty
        else {
            return nil
        }
        let options = specification.options
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        guard append(specification.target, to: &bytes) else {
            return nil
        }
        append(specification.method?.rawValue ?? "", to: &bytes)
        let values = specification.pathParameters
        append(UInt64(values.count), to: &bytes)
        // The order of the elements differs between equal dictionaries.
        if values.count > 1 {
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                guard append(name, value, to: &bytes) else {
                    return nil
                }
            }
        } else if let (name, value) = values.first {
            guard append(name, value, to: &bytes) else {
                return nil
            }
        }
        for (name, value) in specification.query {
            guard append(name, value, to: &bytes) else {
                return nil
            }
        }
        var hasher = Hasher()
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe hasher.combine(bytes: bytes)
        }
        guard options.hash(into: &hasher) else {
            return nil
        }
        return RequestDescription(hash: hasher.finalize(), bytes: bytes, options: options)
    }

    /// Returns true if both describe the same request.
    func isEqual(to other: RequestDescription) -> Bool {
        bytes == other.bytes && options.areEqual(to: other.options)
    }

    private static func append(_ target: RequestTarget, to bytes: inout [UInt8]) -> Bool {
        switch target.server {
        case .defaultServer: bytes.append(target.isConfined ? 4 : 0)
        case .key(let alias):
            bytes.append(1)
            append(alias.rawValue, to: &bytes)
        case .address(let address):
            bytes.append(2)
            append(address, to: &bytes)
        case .url(let url):
            bytes.append(3)
            append(url, to: &bytes)
        }
        if let api = target.api {
            bytes.append(1)
            append(api, to: &bytes)
        } else if let endpoint = target.endpoint {
            guard case .success = endpoint.parts else {
                return false
            }
            bytes.append(2)
            append(endpoint.source, to: &bytes)
        } else {
            bytes.append(0)
        }
        return true
    }

    private static func append(_ name: String, _ value: JSONValue, to bytes: inout [UInt8]) -> Bool {
        append(name, to: &bytes)
        switch value {
        case .string(let text):
            bytes.append(1)
            append(text, to: &bytes)
        case .int(let number):
            bytes.append(2)
            append(UInt64(bitPattern: number), to: &bytes)
        case .bool(let isTrue):
            bytes.append(isTrue ? 3 : 4)
        case .null, .double, .array, .object:
            return false
        }
        return true
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(UInt64(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: number) { unsafe bytes.append(contentsOf: $0) }
    }
}
