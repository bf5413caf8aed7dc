import Foundation

let limit = 10

/// A shop.
@available(iOS 13, *)
public class Shop: Base, Closable {
    private var items: [String] = []
    var size: Int {
        return items.count
    }

    init(name: String) {
        super.init()
    }

    deinit {
        close()
    }

    // sells
    @discardableResult
    func sell(
        item: String
    ) async throws -> Int {
        func local(_ x: Int) -> Int { x }
        let y = 1
        return 1
    }

    subscript(i: Int) -> String { items[i] }
}

struct Point: Codable {
    let x: Int
    static func zero() -> Point { Point(x: 0) }
}

protocol Area {
    func area() -> Double
}

extension Point: Area {
    func area() -> Double {
        0
    }
}

enum Color: String {
    case red, green
    func f() {}
}

func free<T>(x: T) -> T {
    x
}

typealias Handler = (Int) -> Void
