// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient

/// Converts events to `userInfo` dictionaries.
enum NotificationContent {
    static func userInfo(of event: ClientEvent) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [
            NotificationKey.event: event, NotificationKey.kind: event.kind.name.rawValue,
            NotificationKey.time: event.time,
        ]
        info[NotificationKey.callID] = event.callID
        info[NotificationKey.groupID] = event.groupID
        if let request = event.request {
            info[NotificationKey.callIdentifier] = request.callIdentifier
            info[NotificationKey.api] = request.api
            info[NotificationKey.server] = request.server?.rawValue
            info[NotificationKey.endpoint] = request.template
            info[NotificationKey.method] = request.method?.rawValue
            info[NotificationKey.url] = request.url
        }
        for detail in event.kind.details {
            info[NotificationKey.key(of: detail.key)] = detail.value
        }
        return info
    }
}
