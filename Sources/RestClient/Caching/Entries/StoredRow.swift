// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The metadata beside the body in a row of the cache.
///
/// The key of a request has either its response or, if the server selects among several by fields of the request, the
/// names of these fields; each of those responses then has a separate row.
///
/// A row begins with the version of its format and a byte of flags. Numbers are little endian, texts are preceded by
/// their length. It is read defensively: malformed bytes make the row unreadable, and never trap. Secret fields and
/// URLs are sealed.
enum StoredRow: Sendable, Equatable {
    case response(StoredHead)
    /// The lists of field names by which the server selected so far, the latest first.
    case pointer([[String]])

    private static let version: UInt8 = 2

    /// The most fields that are read: `HTTPFields` traps when it has twice as many.
    private static let fieldLimit = 1 << 15

    private struct Flags: OptionSet {
        let rawValue: UInt8

        static let isPointer = Flags(rawValue: 1)
        static let isInvalidated = Flags(rawValue: 2)
        static let isDecodable = Flags(rawValue: 4)
        static let hasLimit = Flags(rawValue: 8)
        static let hasChange = Flags(rawValue: 16)
    }

    /// The place of the time of a change: behind version, flags, status, identifier and two times.
    private static let changePlace = 28

    /// The names of URLs among the sealed fields; no field can have such a name.
    private static let requestURLName = ":request-url"
    private static let urlName = ":url"

    // MARK: - Writing

    /// Returns the bytes to store; sealed parts are bound to the key of the row.
    func encoded(with secret: CacheSecret, key: String) throws -> Data {
        var writer = ByteWriter()
        writer.append(Self.version)
        switch self {
        case .pointer(let lists):
            writer.append(Flags.isPointer.rawValue)
            writer.append(UInt8(clamping: lists.count))
            for names in lists.prefix(Int(UInt8.max)) {
                writer.append(names.joined(separator: ","))
            }
        case .response(let head):
            try Self.append(head, to: &writer, secret, key)
        }
        return writer.data
    }

    private static func append(
        _ head: StoredHead,
        to writer: inout ByteWriter,
        _ secret: CacheSecret,
        _ key: String
    ) throws {
        var flags: Flags = []
        if head.isInvalidated { flags.insert(.isInvalidated) }
        if head.isDecodable { flags.insert(.isDecodable) }
        if head.limit != nil { flags.insert(.hasLimit) }
        if head.changedAt != nil { flags.insert(.hasChange) }
        writer.append(flags.rawValue)
        writer.append(UInt16(clamping: head.status.code))
        writer.append(head.bodyID)
        writer.append(head.requestTime)
        writer.append(head.responseTime)
        if let changedAt = head.changedAt {
            writer.append(changedAt)
        }
        if let limit = head.limit {
            writer.append(limit)
        }
        writer.append(head.method.rawValue)
        writer.append(head.requestedRange ?? "")
        writer.append(UInt8(clamping: head.selecting.fields.count))
        for field in head.selecting.fields.prefix(Int(UInt8.max)) {
            writer.append(field.name)
            writer.append(field.value.map { "=" + $0 } ?? "")
        }
        var sealed = ByteWriter()
        for (name, url) in [(requestURLName, head.requestURL), (urlName, head.url ?? "")] {
            let isSecret = Redaction.url(url) != url
            writer.append(isSecret ? "" : url)
            if isSecret {
                sealed.append(name)
                sealed.append(url)
            }
        }
        // All fields of a name stay together, in their order.
        let secrets = Set(head.headers.filter(Redaction.holdsSecret).map(\.name))
        for field in head.headers where secrets.contains(field.name) {
            sealed.append(field.name.rawName)
            sealed.append(field.text)
        }
        writer.append(sealed.data.isEmpty ? Data() : try secret.sealed(sealed.data, for: key))
        for field in head.headers where !secrets.contains(field.name) {
            writer.append(field.name.rawName)
            writer.append(field.text)
        }
    }

    // MARK: - Reading

    /// Decodes a row; returns `nil` if the bytes are malformed.
    ///
    /// Sealed parts that cannot be opened, because they were sealed with another secret, are omitted.
    init?(decoding bytes: Data, with secret: CacheSecret, key: String) {
        var reader = ByteReader(bytes)
        guard reader.byte() == Self.version, let flags = reader.byte().map(Flags.init) else {
            return nil
        }
        if flags.contains(.isPointer) {
            guard let count = reader.byte() else {
                return nil
            }
            var lists: [[String]] = []
            for _ in 0..<count {
                guard let names = reader.text(), !names.isEmpty else {
                    return nil
                }
                lists.append(names.split(separator: ",").map(String.init))
            }
            self = .pointer(lists)
        } else {
            guard let head = Self.head(&reader, flags, secret, key) else {
                return nil
            }
            self = .response(head)
        }
    }

    private static func head(
        _ reader: inout ByteReader,
        _ flags: Flags,
        _ secret: CacheSecret,
        _ key: String
    ) -> StoredHead? {
        guard let code = reader.short(), (100..<1_000).contains(code), let bodyID = reader.long(),
            let requestTime = reader.date(), let responseTime = reader.date()
        else {
            return nil
        }
        let changedAt = flags.contains(.hasChange) ? reader.date() : nil
        let limit = flags.contains(.hasLimit) ? reader.date() : nil
        guard !flags.contains(.hasLimit) || limit != nil, !flags.contains(.hasChange) || changedAt != nil,
            let method = reader.text().flatMap({ HTTPRequest.Method(rawValue: $0) }),
            let requestedRange = reader.text(), let selecting = selecting(&reader), var requestURL = reader.text(),
            var url = reader.text(), let sealed = reader.data()
        else {
            return nil
        }
        var headers: HTTPFields = [:]
        var opened = ByteReader(sealed.isEmpty ? sealed : secret.opened(sealed, for: key) ?? Data())
        while !reader.isAtEnd || !opened.isAtEnd {
            let isOpened = reader.isAtEnd
            guard let field = isOpened ? field(&opened) : field(&reader) else {
                return nil
            }
            switch field.name {
            case requestURLName where isOpened: requestURL = field.value
            case urlName where isOpened: url = field.value
            default:
                guard let name = HTTPField.Name(field.name), headers.count < fieldLimit else {
                    return nil
                }
                headers.append(HTTPField(name: name, text: field.value))
            }
        }
        return StoredHead(
            bodyID: bodyID,
            status: HTTPResponse.Status(code: code),
            headers: headers,
            method: method,
            requestURL: requestURL,
            url: url.isEmpty ? nil : url,
            requestTime: requestTime,
            responseTime: responseTime,
            selecting: selecting,
            requestedRange: requestedRange.isEmpty ? nil : requestedRange,
            limit: limit,
            isInvalidated: flags.contains(.isInvalidated),
            changedAt: changedAt,
            isDecodable: flags.contains(.isDecodable)
        )
    }

    private static func selecting(_ reader: inout ByteReader) -> SelectingFields? {
        guard let count = reader.byte() else {
            return nil
        }
        var fields: [SelectingFields.Field] = []
        for _ in 0..<count {
            guard let field = field(&reader) else {
                return nil
            }
            // The mark before the value is one byte: a combining mark makes it another character.
            let value = field.value.isEmpty ? nil : String(Substring(field.value.utf8.dropFirst()))
            fields.append(SelectingFields.Field(name: field.name, value: value))
        }
        return SelectingFields(fields)
    }

    private static func field(_ reader: inout ByteReader) -> (name: String, value: String)? {
        guard let name = reader.text(), let value = reader.text() else {
            return nil
        }
        return (name, value)
    }

    // MARK: - Marking

    /// Returns the bytes of a row with a mark that its response must not be used without contacting the server.
    static func invalidated(_ bytes: Data, at date: Date) -> (bytes: Data, wasValid: Bool)? {
        var reader = ByteReader(bytes.prefix(2))
        guard reader.byte() == version, let flags = reader.byte().map(Flags.init), !flags.contains(.isPointer),
            bytes.count >= changePlace + (flags.contains(.hasChange) ? 8 : 0)
        else {
            return nil
        }
        var writer = ByteWriter()
        writer.append(version)
        writer.append(flags.union([.isInvalidated, .hasChange]).rawValue)
        let times = bytes.dropFirst(2).prefix(changePlace - 2)
        let rest = bytes.dropFirst(changePlace + (flags.contains(.hasChange) ? 8 : 0))
        var time = ByteWriter()
        time.append(date)
        return (writer.data + times + time.data + rest, !flags.contains(.isInvalidated))
    }
}
