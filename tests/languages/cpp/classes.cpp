// Classes and their members, in the class and out of it.
#include <string>
#include "classes.hpp"

using namespace std::literals;
using std::string;
namespace fs = std::filesystem;

namespace shapes {

class Canvas;

/**
 * A shape. Its doc comment is any comment directly above.
 */
class [[nodiscard]] Shape {
public:
    // The default constructor.
    Shape() = default;
    explicit Shape(string name, int sides = 0)
        : name_(std::move(name)),
          sides_{sides} {
        ++count_;
    }
    Shape(const Shape &) = delete;
    template <typename Other>
    Shape(const Other &other);
    virtual ~Shape();

    virtual double area() const noexcept = 0;
    auto describe(int width,
                  int height) const -> string {
        auto label = [this](int part) { return name_ + std::to_string(part); };
        string text(label(width));
        return text;
    }

    // Not attached: a blank line follows.

    Shape &operator=(Shape &&other) & noexcept;
    bool operator==(const Shape &other) const { return name_ == other.name_; }
    double operator()(double scale) const;
    operator bool() const { return sides_ > 0; }
    explicit operator const char *() const;
    static void *operator new(size_t size);

    friend class Canvas;
    friend std::ostream &operator<<(std::ostream &out, const Shape &shape);
    friend bool same(const Shape &left, const Shape &right) { return left == right; }
    friend void Canvas::erase(Shape &shape);
    template <typename Other> friend Shape *copy(const Other &other);

    enum Corner { Sharp, Round = 2 };
    using Base::draw;
    class Hidden;

protected:
    struct Point {
        int x = 0, y = 0;
        [[maybe_unused]] int *next = nullptr;
    } origin_;
    union {
        int whole;
        float part;
    };
    std::function<int(int)> filter_ = [](int value) {
        return value + 1;
    };

private:
    static constexpr int kLimit = 10;
    static const char *const kNames[2];
    static int count_;
    static inline std::map<string, int> table_ = {
        {"größe", 1},
        {"长度", 2},
    };
    string name_;
    int sides_ : 4, visible_ : 1;
    void (*callback_)(int event);
    Q_DISABLE_COPY(Shape);
};

int Shape::count_ = 0;
const char *const Shape::kNames[2] = {
    "a",
    "b",
};

Shape::~Shape() { --count_; }

Shape &Shape::operator=(Shape &&other) & noexcept = default;

double Shape::operator()(double scale) const
{
    return area() * scale;
}

Shape::operator const char *() const { return name_.c_str(); }

class Circle final : public Shape, private detail::Round<double> {
    double radius_;

public:
    using Shape::Shape;
    Circle(double radius) try : Shape("circle"), radius_(radius) {
    } catch (...) {
        throw;
    }
    double area() const noexcept override;
};

double Circle::area() const noexcept
{
    class Local {
        int value_ = 3;

    public:
        int value() { return value_; }
    };
    return Local().value() * radius_ * radius_;
}

enum class Mode : unsigned char {
    Read,       // only read
    Write = 1 << 1,
};

}  // namespace shapes

shapes::Canvas::Pen::Pen(int width) : width_(width) {}

int shapes::Canvas::Pen::width() const { return width_; }

struct EXPORT Options {
    Options() = default;
    explicit Options(int start) : level(start) {}
    int level = 1;
    bool verbose() const { return level > 1; }
};

int main(int argc, char **argv) try {
    shapes::Circle circle(1.0);
    return circle.area() > 0;
} catch (const std::exception &error) {
    return 1;
}
