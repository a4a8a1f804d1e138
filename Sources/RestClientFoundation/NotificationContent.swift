// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient

/// Writes an event as a `userInfo` dictionary.
enum NotificationContent {
    static func userInfo(of event: ClientEvent) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [NotificationKey.event: event]
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
        info[NotificationKey.kind] = kind(of: event.kind, into: &info)
        return info
    }

    /// The name of a kind; adds what the kind brings along.
    private static func kind(of kind: ClientEvent.Kind, into info: inout [AnyHashable: Any]) -> String {
        switch kind {
        case .attemptFinished(_, let status), .callSucceeded(let status, _, _):
            info[NotificationKey.status] = status.code
        case .callFailed(let error):
            info[NotificationKey.error] = error
            info[NotificationKey.status] = (error as? RestClientError)?.status?.code
        case .cacheFailed(let error):
            info[NotificationKey.error] = error
        case .localJobFailed(let name, let error):
            info[NotificationKey.jobName] = name
            info[NotificationKey.error] = error
        case .localJobStarted(let name), .localJobSucceeded(let name), .localJobCancelled(let name):
            info[NotificationKey.jobName] = name
        case .groupFinished(let isStopped):
            info[NotificationKey.isStopped] = isStopped
        case .sharedDataUpdated(let key), .sharedDataRemoved(let key):
            info[NotificationKey.sharedDataKey] = key
        case .custom(let identifier, let payload):
            info[NotificationKey.customIdentifier] = identifier
            info[NotificationKey.payload] = payload
        default:
            break
        }
        return kind.name
    }
}
