// SPDX-License-Identifier: MIT

import Testing

@testable import SharedStore

@Suite struct StoreErrorTests {
    @Test
    func `the description says what, where and what to do`() {
        struct Cause: Error, CustomStringConvertible {
            var description: String { "the cause" }
        }
        let error = StoreError(
            .diskFull,
            "nothing fits",
            file: "/folder/file",
            key: "name",
            sqliteCode: 13,
            underlying: Cause()
        )

        #expect(
            error.description == """
                diskFull: nothing fits [key "name"] [file /folder/file] [SQLite 13] [because: the cause]. \
                Free some space and try again; nothing already stored was lost.
                """
        )
    }

    @Test
    func `a cause that the reason already names is said once`() {
        let cause = StoreError(.wrongKey, "none of the keys sealed the value", key: "name")
        let same = StoreError(.wrongKey, "it cannot be opened (\(cause.reason))", key: "name", underlying: cause)
        let other = StoreError(.cannotOpen, "the file is damaged", underlying: cause)

        #expect(
            same.description
                == "wrongKey: it cannot be opened (none of the keys sealed the value) [key \"name\"]. "
                + same.advice
        )
        #expect(
            other.description
                == "cannotOpen: the file is damaged [because: wrongKey: none of the keys sealed the value "
                + "[key \"name\"]]. " + other.advice
        )
    }

    @Test
    func `every code has a name and advice`() {
        let codes: [StoreError.Code] = [
            .cannotCreateDirectory, .notADirectory, .permissionDenied, .cannotOpen, .notADatabase, .foreignDatabase,
            .newerSchema, .busy, .diskFull, .readOnly, .inputOutput, .corrupt, .entryTooLarge,
            .encodingFailed, .decodingFailed, .wrongKey, .tampered, .invalidKeyMaterial, .unknownCodec,
            .migrationFailed, .limitExceeded, .truncatedInput, .invalidInput, .alreadyAttached, .closed,
            .internalFailure, .engineFailed, .rolledBack, .rollbackGuardFailed,
        ]

        #expect(Set(codes.map(\.description)).count == codes.count)
        #expect(codes.allSatisfy { $0.advice.hasSuffix(".") })
    }

    @Test(
        arguments: [
            (5, 0, StoreError.Code.busy), (261, 0, .busy), (6, 0, .busy), (13, 0, .diskFull), (4874, 28, .diskFull),
            (8, 0, .readOnly), (14, 30, .readOnly), (14, 13, .permissionDenied), (14, 2, .cannotOpen),
            (11, 0, .corrupt),
            (779, 0, .corrupt), (26, 0, .notADatabase), (10, 5, .inputOutput), (18, 0, .entryTooLarge),
            (1, 0, .internalFailure),
        ] as [(Int32, Int32, StoreError.Code)]
    )
    func `SQLite's codes become the library's`(_ sqlite: Int32, _ system: Int32, _ code: StoreError.Code) {
        let error = StoreError.sqlite(sqlite, message: "words", systemError: system, file: "f")

        #expect(error.code == code)
        #expect(error.sqliteCode == sqlite)
        #expect(error.isFileDamage == (code == .corrupt || code == .notADatabase))
    }
}
