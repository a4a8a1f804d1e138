// SPDX-License-Identifier: MIT

extension TapeDocument {
    /// Returns the path from the top of the document to a value, reconstructed from the tape, because decoding does not
    /// keep paths.
    func codingPath(of index: Int, in container: Int, at place: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var (index, container, place) = (index, container, place)
        while container != TapeWord.outermost {
            if let alias = aliases[index] {
                path.append(alias)
            } else if word(container).isObject {
                // The key is the word before the value.
                path.append(PathKey(string(word(index - 1))))
            } else {
                path.append(PathKey(index: place))
            }
            index = container
            (container, place) = surroundings(container)
        }
        path.reverse()
        return path
    }

    func codingPath(of container: Int) -> [any CodingKey] {
        let (outer, place) = surroundings(container)
        return codingPath(of: container, in: outer, at: place)
    }

    @inline(never)
    func unexpected(_ type: any Any.Type, _ word: TapeWord, _ path: Path) -> DecodingError {
        word.isNull ? absent(type, path) : mismatch(type, word, path)
    }

    func absent(_ type: any Any.Type, _ path: Path) -> DecodingError {
        .valueNotFound(
            type,
            .init(codingPath: path(), debugDescription: "Cannot get value of type \(type) -- found null value instead")
        )
    }

    @inline(never)
    func mismatch(_ type: any Any.Type, _ word: TapeWord, _ path: Path) -> DecodingError {
        .typeMismatch(
            type,
            .init(
                codingPath: path(),
                debugDescription: "Expected to decode \(type) but found \(Self.description(word.kind)) instead."
            )
        )
    }

    @inline(never)
    func noContainer(_ type: any Any.Type, _ kind: String, _ word: TapeWord, _ path: Path) -> DecodingError {
        guard word.isNull else {
            return mismatch(type, word, path)
        }
        return .valueNotFound(
            type,
            .init(
                codingPath: path(),
                debugDescription: "Cannot get \(kind) decoding container -- found null value instead"
            )
        )
    }

    func corrupted(_ description: String, _ path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: description))
    }

    private static func description(_ kind: TapeWord.Kind) -> String {
        switch kind {
        case .null: "null"
        case .true, .false: "bool"
        case .integer, .decimal: "number"
        case .plainString, .unicodeString, .escapedString: "a string"
        case .array: "an array"
        case .object: "a dictionary"
        }
    }
}
