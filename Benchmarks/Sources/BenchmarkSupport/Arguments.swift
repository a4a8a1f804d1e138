// SPDX-License-Identifier: MIT

/// The arguments of the program.
public enum Arguments {
    /// Returns what follows a name such as `--rounds`, or `nil` when it was not given.
    public static func value(_ name: String) -> String? {
        CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
    }
}
