// SPDX-License-Identifier: MIT

public import Foundation
import HTTPTypes
public import RestClient

extension RestClientManager {
    /// Posts every event as a classic notification with a `userInfo` dictionary, until the observation ends.
    ///
    /// Notifications are posted on the task that caused the event, not on the main queue, with the manager as their
    /// object. The article of this product lists the keys of the dictionary. In new code prefer `ClientEventMessage` or
    /// `RestClientManager.events`, which are typed.
    ///
    /// ```swift
    /// let posting = manager.postNotifications()
    /// NotificationCenter.default.addObserver(forName: .restClientEvent, object: manager, queue: nil) { note in
    ///     print(note.userInfo?["kind"] ?? "")
    /// }
    /// ```
    ///
    /// - Parameter center: The notification center. Defaults to the default center.
    /// - Returns: The observation to keep.
    public func postNotifications(to center: NotificationCenter = .default) -> ObservationToken {
        observe { [weak self] event in
            center.post(name: .restClientEvent, object: self, userInfo: NotificationContent.userInfo(of: event))
        }
    }
}

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

extension Notification.Name {
    /// The name under which `RestClientManager.postNotifications(to:)` posts every event.
    public static let restClientEvent = Notification.Name("RestClient.event")
}
