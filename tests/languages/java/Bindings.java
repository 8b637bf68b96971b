package com.example.bindings;

import java.util.List;

/** What has a plain type, and who is called on it. */
abstract class Bindings extends Base.Inner<Order> {
  static final Clock CLOCK = new Clock();
  private Map.Entry<String, Order> first, second;
  private int count;
  private Order[] orders;

  Bindings(@Nullable Order order, int... sizes) {
    super(order);
    this.first = Maps.entry("größe", order);
  }

  abstract List<Order> all();

  void use(final Store store) throws Failure {
    Order one = store.find(1);
    var two = new Order.Builder<Order>(count).build();
    var three = new Order(3);
    var four = create();
    var five = (Order) two;
    var six = store.find(6);
    for (Order each : all()) {
      each.send(Level.HIGH);
    }
    try (Session session = store.open();
        var other = new Session.Local();
        var third = begin()) {
      session.commit();
    } catch (Failure failure) {
      failure.report();
    } catch (Late | Lost either) {
      super.use(store);
    }
    if (one instanceof Special special && special.isReady()) {
      all().forEach(Order::cancel);
    }
    Runnable task = () -> com.example.jobs.Jobs.run((Job job) -> job.start());
    Listener listener = new Listener() {
      public Order last() { return Bindings.super.last(); }
    };
    new Outer.Nested<>(Order[]::new, Box<Order>::new, Order.class);
    switch (one) {
      case Special s -> s.ship();
      default -> CLOCK.tick();
    }
  }
}

interface Defaults {
  Clock CLOCK = Bindings.CLOCK;
}
