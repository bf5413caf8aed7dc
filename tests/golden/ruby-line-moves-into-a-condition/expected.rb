# frozen_string_literal: true

module Mail
  class Sender
    def initialize(host, port: 25, quiet: false)
      @host = host
      @port = port
      @quiet = quiet
    end

    def deliver(message)
      log("delivering #{message.id}") unless @quiet
      connection.send(message)
    end

    def log(text)
      $stderr.puts(text)
    end
  end
end
