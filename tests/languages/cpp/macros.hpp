// Macros before a name, words of Qt, and what the grammar does not know.

namespace shop {

/// Attached.
class SHOP_EXPORT Cart final : public Base {
    Q_OBJECT

public:
    SHOP_EXPORT Cart();

    template <typename Self>
    auto total(this Self&& self) { return self.sum; }

    int größe(this const Cart& self);

public slots:
    void close();

signals:
    void closed(int code);

private:
    int Cart::*member = nullptr;
    void (Cart::*handler)(int) = &Cart::closed;
};

SHOP_EXPORT void open(Cart& cart);

}  // namespace shop

template class shop::Box<int>;
extern template class shop::Box<long>;
