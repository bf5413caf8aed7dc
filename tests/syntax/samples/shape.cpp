#include <vector>
using namespace std;
using Id = int;

namespace geo {
namespace detail::deep {

// A shape.
template <typename T>
class Shape : public Base<T> {
public:
    Shape() = default;
    explicit Shape(int x) : x_(x) {}
    virtual ~Shape();
    virtual double area() const = 0;

    template <typename U>
    U convert() const {
        return U(x_);
    }

    bool operator==(const Shape& other) const {
        return true;
    }

private:
    int x_ = 0;
};

struct Point {
    int x;
};

enum class Color : int { Red, Green };

}  // namespace detail::deep

double free_function(int a,
                     int b)
{
    auto f = [](int x) { return x; };
    return a;
}

}  // namespace geo

template <typename T>
geo::Shape<T>::~Shape() {
    x();
}

int geo::Point::total() const {
    return x;
}

extern "C" {
int c_function(void) {
    return 1;
}
}

static constexpr int kLimit = 10;

TEST(ShapeTest, Works) {
    EXPECT_EQ(1, 1);
}
