// SPDX-License-Identifier: MIT

#if XML

enum XMLRefusal: Error, Equatable {
    /// It has a document type, which may declare entities.
    case documentType
    /// It refers to an entity that it cannot have declared.
    case entity
    case depth
    case attributes
    /// The name of an element or attribute has too many bytes beyond ASCII.
    case name
    /// Its texts consist of too many pieces.
    case text
    /// It is in an encoding other than UTF-8 and the single-byte ones.
    case encoding(String)
    /// It does not begin with markup.
    case noElement
    /// It is not one element: it ends too early or too late.
    case incomplete

    var sentence: String {
        switch self {
        case .documentType:
            "it has a document type; only documents without declarations and entities are parsed"
        case .entity:
            "it refers to an entity; only characters, amp, lt, gt, quot and apos can be referred to"
        case .depth:
            "its elements are nested more than \(XMLOutline.depthLimit) levels deep"
        case .attributes:
            "an element has more than \(XMLOutline.attributeLimit) attributes"
        case .name:
            "a name has more than \(XMLOutline.nameLimit) bytes beyond ASCII in a row"
        case .text:
            "its texts are too long, or consist of too many pieces"
        case .encoding(let name):
            "its encoding is \(name); only UTF-8, US-ASCII, ISO-8859 and windows-125x are parsed"
        case .noElement:
            "it is not XML: it does not begin with '<'"
        case .incomplete:
            "it is not one complete element"
        }
    }
}

#endif
