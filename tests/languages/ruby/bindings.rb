# Names whose type is plain: what makes them is the `new` of a class. Ruby writes no other types.
require_relative "clients"

CLIENT = Clients::Client.new("main")
Missing = Class.new(Clients::Error)
Point = Struct.new(:x, :y)

class Service
  include Comparable
  extend Forwardable, Clients::Helpers

  @@shared = Store.new
  autoload :Later, "later"

  def initialize(name)
    @store = Clients::Store.new(name)
    @client = Clients::Client.new
    self.owner = Store.new
    @built = Store.build(name)
  end

  def client
    @cached ||= Clients::Cache.new do |cache|
      cache.limit = 1
    end
    count ||= 1
    first, second = Store.new, Store.new
    session = Session.new(first, second)
    session.open(count)
  rescue Clients::Error => error
    raise Missing, error.message
  end

  alias_method :fetch, :client
  define_method("again") { client }
  singleton_class.define_method(:made) { new("x") }
  private def limit = @cached.limit
end
