// SPDX-License-Identifier: MIT

/// A dictionary whose keys a strategy converts in one release of Foundation and not in another.
protocol ConvertibleDictionary {}

extension Dictionary: ConvertibleDictionary where Key: CodingKeyRepresentable, Value: Encodable {}
