# frozen_string_literal: true

module Mail
  class Sender
    def initialize(host, port: 25)
      @host = host
      @port = port
    end

    def deliver(message)
      log("delivering #{message.id}")
      connection.send(message)
    end

    def log(text)
      $stderr.puts(text)
    end
  end
end
