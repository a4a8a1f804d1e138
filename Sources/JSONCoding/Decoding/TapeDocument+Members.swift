// SPDX-License-Identifier: MIT

internal import RestEssentials

extension TapeDocument {
    /// The members of an object by their keys as the strategy converts them; of equal keys the first.
    func directory(_ object: Int) -> [String: Int] {
        if let directory = directories[object] {
            return directory
        }
        let directory: [String: Int]
        switch options.keys {
        case .asWritten:
            directory = members(object)
        case .fromSnakeCase:
            directory = members(object) { SnakeCase.decoded($0) }
        case .custom(let convert):
            let path = codingPath(of: object)
            directory = members(object) { convert(path + [PathKey($0)]).stringValue }
        }
        directories.insert(directory, of: object)
        return directory
    }

    /// The members of an object by their keys; of equal keys the first, as Foundation has it.
    func members(_ object: Int, _ convert: (String) -> String = { $0 }) -> [String: Int] {
        let word = word(object)
        var members: [String: Int] = [:]
        members.reserveCapacity(word.count)
        var index = object + TapeWord.objectHeader
        while index < word.position {
            let key = convert(string(self.word(index)))
            if members[key] == nil {
                members[key] = index + 1
            }
            index = next(after: index + 1)
        }
        return members
    }
}
