// SPDX-License-Identifier: MIT

#if XML

import Foundation
import RestClient
import XMLCoder

extension KeyStrategy {
    func configure(_ encoder: XMLEncoder) {
        switch self {
        case .asDeclared: encoder.keyEncodingStrategy = .useDefaultKeys
        case .snakeCase: encoder.keyEncodingStrategy = .convertToSnakeCase
        }
    }

    func configure(_ decoder: XMLDecoder) {
        switch self {
        case .asDeclared: decoder.keyDecodingStrategy = .useDefaultKeys
        case .snakeCase: decoder.keyDecodingStrategy = .convertFromSnakeCase
        }
    }
}

extension DateStrategy {
    func configure(_ encoder: XMLEncoder) {
        if let format = textFormat {
            encoder.dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(format.text(date))
            }
        } else if self == .secondsSince1970 {
            encoder.dateEncodingStrategy = .secondsSince1970
        } else if self == .millisecondsSince1970 {
            encoder.dateEncodingStrategy = .millisecondsSince1970
        } else {
            encoder.dateEncodingStrategy = .iso8601
        }
    }

    func configure(_ decoder: XMLDecoder) {
        if let format = textFormat {
            decoder.dateDecodingStrategy = .custom { decoder in
                let container = try decoder.singleValueContainer()
                let text = try container.decode(String.self)
                guard let date = format.date(text) else {
                    throw DecodingError.dataCorruptedError(
                        in: container,
                        debugDescription: "the text is not a date in the format of the call"
                    )
                }
                return date
            }
        } else if self == .secondsSince1970 {
            decoder.dateDecodingStrategy = .secondsSince1970
        } else if self == .millisecondsSince1970 {
            decoder.dateDecodingStrategy = .millisecondsSince1970
        } else {
            decoder.dateDecodingStrategy = .iso8601
        }
    }
}

#endif
