// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient

/// Converts events to `userInfo` dictionaries.
enum NotificationContent {
    static func userInfo(of event: ClientEvent) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = ["event": event, "kind": event.kind.name.rawValue, "time": event.time]
        info["callID"] = event.callID
        info["groupID"] = event.groupID
        if let request = event.request {
            info["callIdentifier"] = request.callIdentifier
            info["api"] = request.api
            info["server"] = request.server?.rawValue
            info["endpoint"] = request.template
            info["method"] = request.method?.rawValue
            info["url"] = request.url
        }
        info["value"] = event.value
        info["oldValue"] = event.oldValue
        if let fields = event.responseFields {
            info["responseFields"] = Dictionary(fields.map { ($0.name.rawName, $0.value) }) { "\($0), \($1)" }
        }
        for detail in event.kind.details {
            info[detail.key.rawValue] = detail.value
        }
        return info
    }
}
