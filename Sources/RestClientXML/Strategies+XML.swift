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
        switch kind {
        case .iso8601: encoder.dateEncodingStrategy = .iso8601
        case .seconds: encoder.dateEncodingStrategy = .secondsSince1970
        case .milliseconds: encoder.dateEncodingStrategy = .millisecondsSince1970
        case .text(let encode, _): encoder.dateEncodingStrategy = .custom(encode)
        }
    }

    func configure(_ decoder: XMLDecoder) {
        switch kind {
        case .iso8601: decoder.dateDecodingStrategy = .iso8601
        case .seconds: decoder.dateDecodingStrategy = .secondsSince1970
        case .milliseconds: decoder.dateDecodingStrategy = .millisecondsSince1970
        case .text(_, let decode): decoder.dateDecodingStrategy = .custom(decode)
        }
    }
}

#endif
