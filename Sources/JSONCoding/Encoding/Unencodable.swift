// SPDX-License-Identifier: MIT

/// The error for a value that cannot be encoded; Foundation then reports the reason.
struct Unencodable: Error {}
