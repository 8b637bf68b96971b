// CRLF, and no line end at the end: café.
import Foundation

/// A cell,
/// over two lines.
@objc
class Cell {
    let rows = [
        1,
    ]

    /** Reads. */
    func read(
        at index: Int
    ) -> Int {
        // body
        return rows[index]
    }

    var size: Int {
        rows.count
    }
}

func last() -> Cell { Cell() }