package shop

class Mailer(private val host: String, private val port: Int = 25) {
    fun send(to: String, text: String) {
        connect().use { it.write(to, text) }
    }

    fun sendAll(all: List<String>, text: String) {
        all.forEach { send(it, text) }
    }

    private fun connect() = Connection(host, port)
}
