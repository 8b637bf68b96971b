/* Functions of every shape. This comment stands apart: a blank line follows. */

#include <stdio.h>
#include "types.h"
#include CONFIG_HEADER

/* A prototype ends at its semicolon and has no body. */
static int compare(const void *left, const void *right);
extern void *allocate(size_t size) __attribute__((malloc)), release(void *block);
__attribute__((noreturn)) void fail(const char *format, ...);

// A doc comment may be
// several line comments.
int add(int left, int right)
{
    return left + right;
}

/* Not attached: a blank line follows. */

static inline const char *
describe(const struct point *where,
         int (*format)(char *buffer, int size),
         int flags /* kept, it is in the signature */)
{
    static char buffer[64];
    int written = format(buffer, sizeof(buffer));
    return written > 0 ? buffer : "größer → nichts";
}

char ***deep(void) { return NULL; }

int (*select_handler(int kind))(int, const char *)
{
    return NULL;
}

static int (*matrix(void))[3] { return NULL; }

int (parenthesized)(int value) { return value; }

void takes_function(int callback(int), void (*other)(void)) {}

/* The old style, with its parameters declared before the body. */
int old_style(count, name)
    int count;
    char *name;
{
    return count + name[0];
}

[[nodiscard]] int attributed(void) { return 0; }

int holder(int size)
{
    struct local {
        int field;
    } value = { .field = size };
    enum choice { FIRST, SECOND };
    typedef int number;
    extern int elsewhere(int);
    number copies[4], *cursor = copies;
    int nested(int inner) { return inner + value.field; }
#define HOLDER_LIMIT 8
    for (int index = 0; index < HOLDER_LIMIT; index++)
        cursor[index] = nested(index);
    return elsewhere(SECOND) + (*cursor);
}

int counter, *pointer = &counter, table[2][2] = { { 1, 2 }, { 3, 4 } };
extern const char *const names[];
const int limit = 10;
static int (*handler)(int signal), (*handlers[2])(int) = { NULL, NULL };
ticks (*clock_source)(void) = NULL;
ticks (*alarms[2])(seconds);
ticks (*timer)(seconds), (*watch)(seconds);
ticks (*wheel)[8];
ticks (elapsed)(seconds since);
EXPORT int (resume)(void);

static const struct {
    const char *name;
    int value;
} settings[] = {
    { "width", 1 },
    { "height", 2 },
};

struct point origin = {
    .x = 0,
    .y = 0,
};

REGISTER_MODULE(functions);
