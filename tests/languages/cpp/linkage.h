/* A header for C and C++: one line of C++ is enough to make it C++. */
#ifndef LINKAGE_H
#define LINKAGE_H

#include <stddef.h>

extern "C" {

/* Declared for C. */
int c_function(const char *name, size_t length);
typedef struct handle {
    int number;
} handle;
extern int c_variable;

}

extern "C" int single(void);

/* In parentheses, so that no macro of that name comes in between. */
int (fileno)(FILE *stream);
int (*opener)(handle *), (*closer)(handle *);
inline int (Handle::seek)(FILE *stream) { return 0; }
NODISCARD int (tell)(FILE *stream);

#if __cplusplus >= 201703L
#define NODISCARD [[nodiscard]]
#elif defined(__GNUC__)
#define NODISCARD __attribute__((warn_unused_result))
#else
#define NODISCARD
#endif

#define WRAP(type, name) \
    class name { \
        type value; \
    };

class Handle {
public:
#ifdef WITH_COUNT
    // The number of users.
    int count() const { return count_; }
#else
    Handle(int fd);
#if WITH_NAME
    explicit Handle(const char *name);
#endif
#endif

private:
    int count_;
};

#endif
