#!/usr/bin/env ruby
# frozen_string_literal: true

require "set"
require_relative "../lib/shapes"
autoload :Report, "app/report"

begin
  require "json/ext"
rescue LoadError
  require "json"
end

# Not attached to what follows: a blank line stands between.

# A namespace.
# Two lines of it.
module Geometry
  # A base class with constants of its own.
  class Shape
    include Comparable
    extend Enumerable, Geometry::Helpers

    SIDES = 0
    WIDTH, HEIGHT = 640, 480

    # The name, then the colour.
    attr_reader :name, :colour
    attr_accessor "label"
    protected attr_writer :area

    def initialize(name, colour = "red",
                   *points, scale: 1.0,
                   **options, &block)
      @name = name
      super()
      register
      yield self if block
    end

    # Operators, setters and predicates keep their punctuation.
    def +(other) = merge(other)
    def <=>(other)
      area <=> other.area
    end
    def [](index) points[index] end
    def -@; end
    def name=(value)
      @name = value.strip
    end
    def empty?() = points.empty?
    def größe = "größe"

    # On the class itself, in four ways.
    def self.create(...)
      new(...)
    end

    def Shape.unit = new("unit")

    class << self
      # The comment stands inside the singleton class.
      def registry
        @registry ||= {}
      end

      private

      def reset!; registry.clear; end
    end

    define_singleton_method(:build) { |**options| new(**options) }

    alias merge +
    alias_method :title, :name

    define_method(:draw) do |canvas|
      canvas << self
    end

    def to_be_done
      # Nothing here yet.
    end

    def safely(path)
      File.read(path)
    rescue Errno::ENOENT, Geometry::Missing => error
      warn error.message
    else
      1
    ensure
      close
    end

    def outer(list)
      def inner_method(item)
        item
      end

      list.map { |item| inner_method(item) }
    end

    private

    def points; @points; end

    # Private, and documented.
    private def secret(key) = key.hash

    memoize private def cached
      compute
    end
  end

  class Square < Shape
    def area = side**2
  end

  class Circle < Geometry::Shape; end

  class Migration < ActiveRecord::Migration[7.1]
    def change
    end
  end
end

# Reopened by its path.
class Geometry::Shape
  def reopened?; true; end
end

module Geometry::Deep::Er
  TAU = 6.28
end

class ::TopLevel; end

if RUBY_VERSION >= "3.0"
  def modern; 1; end
else
  def modern; 2; end
end

# A function of the file.
def helper(text)
  shape = Geometry::Square.new(text)
  shape.draw(text) if shape.empty?
end

main = Object.new
def main.to_s = "main"

class << main
  def inspect; to_s; end
end

describe Geometry do
  puts "a statement"
  def example_helper; end
end

helper(<<~TEXT)
  class NotAClass
  end
TEXT

=begin
A block comment, attached to what follows.
=end
def last_one; end

__END__
class NotReal; end
