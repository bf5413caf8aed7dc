require 'json'

module Example
  LIMIT = 10

  # A shop.
  class Shop < Base
    attr_reader :name
    include Comparable

    def initialize(name,
                   items: [])
      @name = name
    end

    def self.open
      new('x')
    end

    def empty
    end

    class << self
      def build(x) = new(x)
    end

    scope :active, -> { where(active: true) }
  end
end

RSpec.describe Example::Shop do
  let(:shop) { described_class.new }

  it 'sells' do
    expect(1).to eq(1)
  end
end

task :build do
  sh 'make'
end
