#pragma once

#include <concepts>

namespace lib::detail::inline v2 {

template <typename T>
struct is_small : std::bool_constant<(sizeof(T) < 8)> {};

}  // namespace lib::detail::inline v2

namespace lib {
namespace {
int hidden = 0;
}

/// Something that can be added.
template <typename T>
concept Addable = requires(T left, T right) {
    { left + right } -> std::same_as<T>;
    typename T::value_type;
};

template <typename T> concept Small = detail::is_small<T>::value;

/// A box of one value.
template <typename T, int Size = 4>
class Box {
public:
    using value_type = T;
    template <typename U> using rebind = Box<U, Size>;

    Box(T value);
    template <typename U>
        requires Addable<U>
    explicit Box(const Box<U> &other) : value_(other.get()) {}

    template <typename U>
    U as() const;
    const T &get() const & { return value_; }

    template <typename U>
    struct Iterator {
        U *position;
    };
    template <typename U>
    static constexpr bool holds = std::is_same_v<T, U>;

private:
    T value_;
    template <typename U, int N> friend class Box;
};

template <typename T> Box(T) -> Box<T>;

template <typename T, int Size>
Box<T, Size>::Box(T value) : value_(value) {}

template <typename T, int Size>
template <typename U>
U Box<T, Size>::as() const
{
    return static_cast<U>(value_);
}

// A partial and a full specialisation.
template <typename T>
class Box<T *, 1> {
    T *pointer_;
};

template <>
inline int Box<int>::as<int>() const { return value_; }

template <typename T> class Pointer;

template <typename... Parts>
auto sum(Parts &&...parts) -> decltype((parts + ...))
{
    return (parts + ...);
}

int overloaded(int value);
double overloaded(double value);
template <typename T> T overloaded(T value) { return value; }

constexpr auto twice = [](auto value) {
    return value * 2;
};
template <typename T> constexpr T zero = T(0);
template <> constexpr int zero<int> = 0;

constexpr int operator""_km(unsigned long long value) { return value * 1000; }
bool operator<(const Box<int> &left, const Box<int> &right);

auto [first, second] = std::pair(1, 2);
Box<int> global(1), *other = nullptr, &reference = global;

}  // namespace lib

template <>
struct std::hash<lib::Box<int>> {
    size_t operator()(const lib::Box<int> &box) const noexcept { return 0; }
};
