/* What is known about the type of a name without asking a compiler. */

#include "ledger.h"

struct clerk {
    shelf_t *shelf;
    struct book first;
    int (*open)(struct clerk *self, const char *name);
};

static struct clerk *current;
book_t spare, *other;

book_t book_open(const char *name);

struct clerk *clerk_new(shelf_t *shelf, const book_t book)
{
    struct clerk *clerk = allocate(sizeof(struct clerk));
    union cover cover;
    book_t opened = book_open("a");
    unsigned pages = 1;

    clerk->open(clerk, "b");
    (*current->open)(current, "c");
    (*handler)(&cover, &opened, pages);
    return clerk;
}
