#pragma once

/* A constant. */
#define LIMIT 16
#define EMPTY
# define SPACED (LIMIT * 2) /* a comment after it */
#define MASK \
    (1 << 3 | \
     1 << 4)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define NOTHING(x)
// Of several lines, and variadic.
#define LOG(format, ...) \
    do { \
        printf(format, __VA_ARGS__); \
    } while (0)
#define LOCK(mutex) ((void)0) 
#define UNLOCK(mutex) ((void)0)

#if defined(WINDOWS) || (VERSION >= 3 && !LEGACY)
#include <windows.h>
int platform(void);
#elif defined(POSIX)
#include <unistd.h>
#ifdef LINUX
int platform(void) { return MAX(1, 2); }
#else
static int fallback = LIMIT; /* of two
                                lines */
#endif
#elif VERSION == 2
#error "version 2 is gone"
#else
typedef int platform_t;
#endif

#ifndef QUIET
#warning "loud"
#endif

#ifdef OUTER
#ifndef INNER
#if A
int a;
#else
int not_a;
#endif
#endif
#endif

#undef LIMIT
