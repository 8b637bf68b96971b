/* Zeilenende CRLF, äöü */
#include <stdio.h>

// Doc comment.
int café(int count)
{
    return count;
}

struct pair {
    int first;
    int second;
};

#define TWICE(x) \
    ((x) + \
     (x))
int last;