// SPDX-License-Identifier: MIT

public import Foundation
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
