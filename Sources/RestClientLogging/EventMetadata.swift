// SPDX-License-Identifier: MIT

#if AsyncHTTPClient || Logging

import HTTPTypes
import Logging
import RestClient
import RestEssentials

/// Converts the values of an event to metadata of a log message.
enum EventMetadata {
    static func metadata(of event: ClientEvent) -> Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        metadata["call"] = event.callID.map { "\($0)" }
        metadata["group"] = event.groupID.map { "\($0)" }
        if let request = event.request {
            metadata["method"] = request.method.map { "\(MessageText.of($0.rawValue))" }
            metadata["url"] = request.url.map { "\(MessageText.of($0))" }
            metadata["api"] = request.api.map { "\(MessageText.of($0))" }
            metadata["server"] = request.server.map { "\(MessageText.of($0.rawValue))" }
            metadata["endpoint"] = request.template.map { "\(MessageText.of($0))" }
            metadata["callIdentifier"] = request.callIdentifier.map { "\(MessageText.of($0))" }
        }
        for detail in event.kind.details {
            metadata[detail.key.rawValue] = "\(detail.text)"
        }
        return metadata
    }
}

#endif
