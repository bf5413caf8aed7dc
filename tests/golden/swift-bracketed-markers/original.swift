import Foundation

final class Downloader {
    private var tasks: [URL: Task<Data, Error>] = [:]

    func fetch(_ url: URL) async throws -> Data {
        if let running = tasks[url] {
            return try await running.value
        }
        let task = Task { try await load(url) }
        tasks[url] = task
        return try await task.value
    }

    private func load(_ url: URL) async throws -> Data {
        let (data, _) = try await URLSession.shared.data(from: url)
        return data
    }
}
