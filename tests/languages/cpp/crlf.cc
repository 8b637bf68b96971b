// CRLF → unverändert
#include <vector>

namespace café {

// Doc comment.
class Größe {
public:
    Größe(int value)
        : value_(value) {
    }

private:
    int value_;
};

int total(const std::vector<int> &values)
{
    return values[0];
}

}