// SPDX-License-Identifier: MIT

/// Who made a change of shared data.
public enum SharedChangeOrigin: Sendable, Hashable {
    /// This very ``SharedData``.
    case thisProcess
    /// Another process, or another ``SharedData`` on the same file.
    case anotherProcess
}
