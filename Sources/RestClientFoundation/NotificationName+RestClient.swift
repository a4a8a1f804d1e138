// SPDX-License-Identifier: MIT

public import Foundation

extension Notification.Name {
    /// The name under which `RestClientManager.postNotifications(to:)` posts every event.
    public static let restClientEvent = Notification.Name("RestClient.event")
}
