import com.example.shop.spi.Provider;

/** The module of the shop. */
@Deprecated
open module com.example.shop {
  requires java.base;
  requires transitive static java.sql;

  exports com.example.shop to com.example.app, com.example.test;
  opens com.example.shop.internal;
  uses com.example.shop.spi.Provider;
  provides com.example.shop.spi.Provider with com.example.shop.Declarations;
}
