// SPDX-License-Identifier: MIT

extension StoreError {
    /// The kind of a ``StoreError``.
    ///
    /// Later releases may add more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Name: String {
            case cannotCreateDirectory, notADirectory, permissionDenied, cannotOpen, notADatabase, foreignDatabase
            case newerSchema, busy, diskFull, readOnly, inputOutput, corrupt, entryTooLarge
            case encodingFailed, decodingFailed, wrongKey, tampered, invalidKeyMaterial, unknownCodec, migrationFailed
            case limitExceeded, truncatedInput, invalidInput, alreadyAttached, closed, engineFailed, internalFailure
            case rolledBack, rollbackGuardFailed
        }

        private let name: Name

        private init(_ name: Name) {
            self.name = name
        }

        /// The code's name, which is stable between releases, for example for logs.
        public var description: String { name.rawValue }

        /// The folder of a file could not be created.
        public static let cannotCreateDirectory = Code(.cannotCreateDirectory)
        /// The path of a folder refers to something else.
        public static let notADirectory = Code(.notADirectory)
        /// The process lacks the rights to a file or folder.
        public static let permissionDenied = Code(.permissionDenied)
        /// The file could not be opened.
        public static let cannotOpen = Code(.cannotOpen)
        /// The file is not a SQLite database.
        public static let notADatabase = Code(.notADatabase)
        /// The file is a database of another program, or a store of another kind.
        public static let foreignDatabase = Code(.foreignDatabase)
        /// The file, or a stored value, was written by a newer release or a newer schema version.
        public static let newerSchema = Code(.newerSchema)
        /// Another process kept the file locked for longer than the busy timeout.
        public static let busy = Code(.busy)
        /// The disk, or the quota, is full.
        public static let diskFull = Code(.diskFull)
        /// The file, its folder or its file system is read-only.
        public static let readOnly = Code(.readOnly)
        /// The operating system failed to read or write the file.
        public static let inputOutput = Code(.inputOutput)
        /// The file or one of its rows is damaged.
        public static let corrupt = Code(.corrupt)
        /// An entry is larger than its limit.
        public static let entryTooLarge = Code(.entryTooLarge)
        /// A value could not be encoded.
        public static let encodingFailed = Code(.encodingFailed)
        /// Stored bytes could not be decoded as the requested type.
        public static let decodingFailed = Code(.decodingFailed)
        /// A sealed value was sealed with another key.
        public static let wrongKey = Code(.wrongKey)
        /// A sealed value was altered, or moved from another row.
        public static let tampered = Code(.tampered)
        /// A sealed value is older than the latest one that its ``RollbackGuard`` knows of.
        public static let rolledBack = Code(.rolledBack)
        /// A ``RollbackGuard`` could not read or keep a mark, or its key has no sealed codec.
        public static let rollbackGuardFailed = Code(.rollbackGuardFailed)
        /// Key material is missing or has an unusable length.
        public static let invalidKeyMaterial = Code(.invalidKeyMaterial)
        /// A stored value was written with a codec that the reader does not accept.
        public static let unknownCodec = Code(.unknownCodec)
        /// A value of an older schema version could not be migrated.
        public static let migrationFailed = Code(.migrationFailed)
        /// Output exceeded its limit, for example while inflating.
        public static let limitExceeded = Code(.limitExceeded)
        /// Input ended too early.
        public static let truncatedInput = Code(.truncatedInput)
        /// Input is malformed.
        public static let invalidInput = Code(.invalidInput)
        /// The store is already attached to another file.
        public static let alreadyAttached = Code(.alreadyAttached)
        /// The store was closed.
        public static let closed = Code(.closed)
        /// An engine of the user's own threw an error, or was used in a way that it does not have.
        public static let engineFailed = Code(.engineFailed)
        /// An unexpected state that indicates a bug in this library.
        public static let internalFailure = Code(.internalFailure)

        var advice: String {
            switch name {
            case .cannotCreateDirectory: "Choose a place where this process may create folders."
            case .notADirectory: "Choose another folder, or move away the file that stands in its place."
            case .permissionDenied: "Grant this user the rights, or choose another place."
            case .cannotOpen: "Check that the path is right and that this process may read and write there."
            case .notADatabase: "Check the path; move the file away or restore it from a backup."
            case .foreignDatabase: "Use a separate file for each store."
            case .newerSchema: "Update this program; the data was left as it is."
            case .busy: "Try again, or raise the busy timeout; another process keeps the file locked."
            case .diskFull: "Free some space and try again; nothing already stored was lost."
            case .readOnly: "Make the file and its folder writable, or choose another place."
            case .inputOutput: "Check the disk; try again."
            case .corrupt: "Restore the file from a backup, or remove what is damaged."
            case .entryTooLarge: "Store less, or raise the limit."
            case .encodingFailed: "Check the value's Encodable conformance and the key's codec."
            case .decodingFailed: "Use the type the value was stored with, or give the key a migration."
            case .wrongKey: "Give the key that sealed the value, as the current or as a previous one."
            case .tampered: "Do not trust the value; remove it or restore it from a backup."
            case .rolledBack: "Do not trust the value; restore the newer file, or set another value."
            case .rollbackGuardFailed: "Check the guard that the key was given, and that its codec is a sealed one."
            case .invalidKeyMaterial: "Give 16, 24 or 32 bytes, or derive them from a passphrase."
            case .unknownCodec: "Add the codec that wrote the value to the key's previous codecs."
            case .migrationFailed: "Give the key a migration from this schema version."
            case .limitExceeded: "Raise the limit if the input is trusted."
            case .truncatedInput: "The data is incomplete; get it again."
            case .invalidInput: "Check what the data is and where it comes from."
            case .alreadyAttached: "Create another store for another file."
            case .closed: "Create a new store for the file."
            case .engineFailed: "Check the engine that the cache was given; its own error is the underlying one."
            case .internalFailure: "Please report this."
            }
        }
    }
}
