// What is known about the type of a name without asking a compiler.

#include "ledger.hpp"

namespace depot {

class Clerk : public ledger::Person, private Base<Clerk> {
public:
    Clerk(Shelf &shelf, const ledger::Book *book = nullptr);
    ledger::Book open(std::string_view name) const;
    Shelf *shelf() { return shelf_; }
    const Shelf &spare();

private:
    Shelf *shelf_;
    std::unique_ptr<ledger::Book> book_;
    std::vector<Page> pages_{1};
};

Page first;
Page *second = nullptr, &third = first;

ledger::Book Clerk::open(std::string_view name) const
{
    Page written(1);
    ledger::Page braced{2};
    auto called = make_page(name);
    auto qualified = ledger::deep::make(name);
    auto member = shelf_->take(name);
    auto literal = Page{3};
    auto *allocated = new ledger::Book(name);
    auto owned = std::make_unique<ledger::Book>(name);
    auto &alias = spare();
    const auto count = 1 + 1;
    depot::Clerk::find(called).close();
    return ledger::Book(written, braced, qualified, member, literal, allocated, owned, alias, count);
}

} // namespace depot
