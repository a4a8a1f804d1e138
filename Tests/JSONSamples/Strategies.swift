// SPDX-License-Identifier: MIT

package import RestEssentials

/// Configurations of Foundation's coders, by number.
package enum Strategies {
    /// Returns a decoder with some of all strategies.
    package static func decoder(_ choose: (Int) -> Int) -> JSONDecoder {
        let decoder = JSONDecoder()
        switch choose(6) {
        case 0: decoder.dateDecodingStrategy = .secondsSince1970
        case 1: decoder.dateDecodingStrategy = .millisecondsSince1970
        case 2, 3: decoder.dateDecodingStrategy = .iso8601
        case 4:
            decoder.dateDecodingStrategy = .custom { decoder in
                if let container = try? decoder.container(keyedBy: SampleKey.self) {
                    return Date(timeIntervalSince1970: Double(container.allKeys.count))
                }
                let container = try decoder.singleValueContainer()
                return Date(timeIntervalSince1970: Double(try container.decode(String.self).utf8.count))
            }
        default: break
        }
        switch choose(4) {
        case 0: decoder.dataDecodingStrategy = .deferredToData
        case 1:
            decoder.dataDecodingStrategy = .custom { decoder in
                Data([try decoder.singleValueContainer().decode(UInt8.self), UInt8(decoder.codingPath.count)])
            }
        default: break
        }
        if choose(2) == 0 {
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf",
                negativeInfinity: "-inf",
                nan: "naïve"
            )
        }
        switch choose(6) {
        case 0, 1: decoder.keyDecodingStrategy = .convertFromSnakeCase
        case 2:
            decoder.keyDecodingStrategy = .custom { path in
                let name = path.last?.stringValue ?? ""
                return SampleKey(stringValue: path.count > 2 ? String(name.prefix(2)) : name + "\(path.count)")
            }
        default: break
        }
        return decoder
    }

    /// Returns an encoder with some of all strategies and sorted keys.
    package static func encoder(_ choose: (Int) -> Int) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = choose(2) == 0 ? [.sortedKeys] : [.sortedKeys, .withoutEscapingSlashes]
        switch choose(6) {
        case 0: encoder.dateEncodingStrategy = .secondsSince1970
        case 1: encoder.dateEncodingStrategy = .millisecondsSince1970
        case 2, 3: encoder.dateEncodingStrategy = .iso8601
        case 4:
            encoder.dateEncodingStrategy = .custom { date, encoder in
                if date.timeIntervalSince1970 > 1e9 {
                    var container = encoder.container(keyedBy: SampleKey.self)
                    try container.encode(ErrorText.path(encoder.codingPath), forKey: SampleKey(stringValue: "someKey"))
                } else if date.timeIntervalSince1970 > 0 {
                    try "text".encode(to: encoder)
                }
            }
        default: break
        }
        switch choose(4) {
        case 0: encoder.dataEncodingStrategy = .deferredToData
        case 1: encoder.dataEncodingStrategy = .custom { data, encoder in try data.count.encode(to: encoder) }
        default: break
        }
        if choose(2) == 0 {
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "i/nf",
                negativeInfinity: "-inf",
                nan: "nan"
            )
        }
        switch choose(6) {
        case 0, 1: encoder.keyEncodingStrategy = .convertToSnakeCase
        case 2:
            encoder.keyEncodingStrategy = .custom { path in
                SampleKey(stringValue: "\(path.last?.stringValue ?? "")\(path.count)")
            }
        default: break
        }
        return encoder
    }
}
