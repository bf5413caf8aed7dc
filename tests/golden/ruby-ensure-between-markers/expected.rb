class Watcher
  def initialize(files)
    @files = files
  end

  def execute
    @last = Time.now
    @block.call
  ensure
    @watched = nil
    @updated_at = nil
  end

  # Runs the block where a file changed.
  def execute_if_updated
    if updated?
      yield if block_given?
      execute
      true
    else
      false
    end
  end

  private
    def updated?
      @last.nil? || @files.any? { |file| File.mtime(file) > @last }
    end
end
