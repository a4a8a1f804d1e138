// SPDX-License-Identifier: MIT

/// A value that cannot be encoded; Foundation says why.
struct Unencodable: Error {}
