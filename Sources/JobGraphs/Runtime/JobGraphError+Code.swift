// SPDX-License-Identifier: MIT

extension JobGraphError {
    /// The kinds of errors.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Name: String {
            case graphCycle, duplicateJobName, unknownJobHandle, missingJobResult, missingPreviousResult, pollExhausted
            case timeout, resultNotCodable, journalUnreadable, journalInUse, unknownOutcome, runTakenBack
        }

        private let name: Name

        /// The name of the code, as in `graphCycle`; it never changes.
        public var description: String { name.rawValue }

        /// Nodes of a graph wait for each other.
        public static let graphCycle = Code(name: .graphCycle)
        /// Two nodes of a graph have one name.
        public static let duplicateJobName = Code(name: .duplicateJobName)
        /// A handle is not of the graph that it is used with.
        public static let unknownJobHandle = Code(name: .unknownJobHandle)
        /// A node has no result: it was skipped or not run.
        public static let missingJobResult = Code(name: .missingJobResult)
        /// A step wants a result of the step before that it does not have.
        public static let missingPreviousResult = Code(name: .missingPreviousResult)
        /// A poll ended before a response was as wanted.
        public static let pollExhausted = Code(name: .pollExhausted)
        /// A run, a node or a compensation did not end in time.
        public static let timeout = Code(name: .timeout)
        /// A result cannot be stored in a journal.
        public static let resultNotCodable = Code(name: .resultNotCodable)
        /// A record of a journal cannot be read.
        public static let journalUnreadable = Code(name: .journalUnreadable)
        /// A run uses the journal now, here or in another process.
        public static let journalInUse = Code(name: .journalInUse)
        /// The outcome of unsafe work of an earlier run is unknown.
        public static let unknownOutcome = Code(name: .unknownOutcome)
        /// An earlier run is being undone, and nothing else can be done before.
        public static let runTakenBack = Code(name: .runTakenBack)
    }
}
