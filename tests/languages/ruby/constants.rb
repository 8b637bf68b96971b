# Constants, types made by a call, and heredocs.
module Settings
  # An error type.
  Missing = Class.new(StandardError)

  Point = Struct.new(:x, :y, keyword_init: true) do
    include Comparable

    # Members of the block belong to the struct.
    def distance
      Math.sqrt((x**2) + (y**2))
    end

    ORIGIN = new(x: 0, y: 0)
  end

  Size = Data.define(
    :width,
    :height
  )

  Mixin = Module.new { def mixed_in; end }

  DEFAULTS = {
    name: "x",
    colour: "red",
  }.freeze

  LIMIT = 10 # the most there can be
  ON_ERROR = ->(error) { raise error }
  CACHE ||= {}
  Point::DEPTH = 3

  # The text of a heredoc belongs to the constant, and stands after the assignment.
  BANNER = <<~TEXT.freeze # ünïcödé
    def not_a_method
    end
  TEXT

  PAIR = [<<~ONE, <<~TWO].map(&:strip)
    one
  ONE
    two
  TWO

  QUERY = execute(<<~SQL, 1) do |row|
    SELECT *
  SQL
    row.to_h
  end

  FALLBACK = <<~TEXT unless defined?(FALLBACK)
    none
  TEXT

  def banner = <<~TEXT
    #{name}
  TEXT

  private def footer(width) = <<~LEFT + <<~RIGHT
    left
  LEFT
    right
  RIGHT

  def usage(text = <<~TEXT, width: 80)
    usage
  TEXT
    puts <<~OUT
      #{text}
    OUT
  end

  log <<~NOTE
    not a declaration
  NOTE

  included do
    attr_reader :settings

    INNER = 1
  end

  private_constant :LIMIT
end
