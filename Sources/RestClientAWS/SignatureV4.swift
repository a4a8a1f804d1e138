// SPDX-License-Identifier: MIT

import Crypto
import RestClient
import RestEssentials

/// The request that Signature Version 4 signs, in its canonical form: pure.
struct SignatureV4 {
    static let algorithm = "AWS4-HMAC-SHA256"

    static let unsignedPayload = "UNSIGNED-PAYLOAD"

    static let emptyPayload = Hexadecimal.text(SHA256.hash(data: Data()))

    /// The time, region and service for which a signature is valid.
    struct Scope {
        /// As in `20150830T123600Z`.
        let time: String
        let region: String
        let service: String

        init(_ date: Date, region: String, service: String) {
            time = Self.text(of: date)
            self.region = region
            self.service = service
        }

        private var day: Substring { time.prefix(8) }

        /// As in `20150830/us-east-1/iam/aws4_request`.
        var text: String { "\(day)/\(region)/\(service)/aws4_request" }

        var isOfS3: Bool { service.hasPrefix("s3") }

        fileprivate func key(_ secret: String) -> SymmetricKey {
            [String(day), region, service, "aws4_request"]
                .reduce(SymmetricKey(data: Data("AWS4\(secret)".utf8))) { key, text in
                    SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
                }
        }

        private static func text(of date: Date) -> String {
            // The years that four digits can write.
            let seconds = Int64(min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799).rounded(.down))
            let day = seconds.quotientRoundedDown(by: 86_400)
            let (year, month, dayOfMonth) = CivilCalendar.date(ofDay: day)
            let second = Int(seconds - day * 86_400)
            func padded(_ number: Int, _ width: Int = 2) -> String {
                let digits = String(number)
                return String(repeating: "0", count: max(0, width - digits.count)) + digits
            }
            return padded(year, 4) + padded(month) + padded(dayOfMonth) + "T" + padded(second / 3_600)
                + padded(second / 60 % 60) + padded(second % 60) + "Z"
        }
    }

    let scope: Scope
    /// The names of the signed fields, in lower case and sorted, as in `host;x-amz-date`.
    let signedFields: String
    let canonicalRequest: String

    /// Creates the canonical form of a request with a path and a query as they are sent.
    ///
    /// The fields to sign, among them `host`, are in the order in which they are sent. The payload is the SHA-256 of
    /// the body in hexadecimal digits, or ``unsignedPayload``.
    init(
        _ scope: Scope,
        _ method: String,
        target: String,
        fields: [(name: String, value: String)],
        payload: String
    ) {
        self.scope = scope
        var values: [String: String] = [:]
        for field in fields {
            let (name, value) = (field.name.lowercased(), Self.trimmed(field.value))
            values[name] = values[name].map { "\($0),\(value)" } ?? value
        }
        let sorted = values.sorted { $0.key < $1.key }
        signedFields = sorted.map(\.key).joined(separator: ";")
        let path = HTTPURL.withoutQuery(target)
        let lines = [
            method, scope.isOfS3 ? Self.path(ofS3: path) : Self.path(path),
            Self.query(HTTPURL.query(of: target) ?? ""),
        ]
        canonicalRequest = (lines + sorted.map { "\($0.key):\($0.value)" } + ["", signedFields, payload])
            .joined(separator: "\n")
    }

    var stringToSign: String {
        let digest = Hexadecimal.text(SHA256.hash(data: Data(canonicalRequest.utf8)))
        return "\(Self.algorithm)\n\(scope.time)\n\(scope.text)\n\(digest)"
    }

    /// Returns the signature in hexadecimal digits.
    func signature(_ secret: String) -> String {
        Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: Data(stringToSign.utf8), using: scope.key(secret)))
    }

    // MARK: - Canonical forms

    private static func trimmed(_ value: String) -> String {
        value.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            .map { String(Substring($0)) }.joined(separator: " ")
    }

    /// Returns a path as most services sign it: without dot segments and empty ones, and percent-encoded again.
    static func path(_ path: Substring) -> String {
        var segments: [String] = []
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        for part in parts where part != "." {
            if part != ".." {
                segments.append(PercentEncoding.encode(part))
            } else if !segments.isEmpty {
                segments.removeLast()
            }
        }
        let isFolder = !segments.isEmpty && path.utf8.last == UInt8(ascii: "/")
        return "/" + segments.joined(separator: "/") + (isFolder ? "/" : "")
    }

    /// Returns a path as S3 signs it: the key of the object, percent-encoded once.
    static func path(ofS3 path: Substring) -> String {
        path.isEmpty ? "/" : encoded(path, keeping: UInt8(ascii: "/"))
    }

    static func query(_ query: Substring) -> String {
        QueryItems.split(query)
            .map { (encoded($0.name, plus: " "), encoded($0.value ?? "", plus: " ")) }
            .sorted { $0 < $1 }
            .map { "\($0)=\($1)" }
            .joined(separator: "&")
    }

    /// Returns a percent-encoded text with the encoding that is signed: of all bytes except the unreserved ones and
    /// `kept`, which stands for itself, encoded or not.
    ///
    /// A plus sign stands for `plus`.
    private static func encoded(_ text: Substring, keeping kept: UInt8? = nil, plus: Unicode.Scalar = "+") -> String {
        var output = ""
        var rest = text.utf8
        while let byte = rest.popFirst() {
            var byte = byte == UInt8(ascii: "+") ? UInt8(ascii: plus) : byte
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexadecimalValue,
                let low = rest.dropFirst().first?.hexadecimalValue
            {
                byte = high << 4 | low
                rest = rest.dropFirst(2)
            }
            if byte == kept || byte < 0x80 {
                let scalar = String(Unicode.Scalar(byte))
                output += byte == kept ? scalar : PercentEncoding.encode(scalar)
            } else {
                output += "%" + String(byte, radix: 16, uppercase: true)
            }
        }
        return output
    }
}

extension HTTPURL {
    fileprivate static func withoutQuery(_ target: String) -> Substring {
        Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })
    }
}
