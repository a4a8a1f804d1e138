// SPDX-License-Identifier: MIT

/// A dictionary whose keys a strategy converts in some releases of Foundation but not in others.
protocol ConvertibleDictionary {}

extension Dictionary: ConvertibleDictionary where Key: CodingKeyRepresentable, Value: Encodable {}
