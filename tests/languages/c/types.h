/*
 * Types: an include guard and `extern "C"` are no obstacle.
 */
#ifndef TYPES_H
#define TYPES_H

#include <stddef.h>

struct forward;
enum colour;

/* A point in the plane. */
struct point {
    int x, y; /* several members in one statement */
    unsigned visible : 1, layer : 4;
};

/** A node of a list, with everything a member can be. */
typedef struct node {
    struct node *next;
    char name[32];
    const char *const *labels;
    int (*compare)(const void *left, const void *right);
    /* The payload: its members belong to the node. */
    union {
        long number;
        double real;
    };
    struct inner {
        int depth;
    } inner, *spare;
    struct {
        int anonymous;
    } unnamed;
#ifdef WITH_LOCK
    /* Only with a lock. */
    mutex_t lock;
#else
    int unlocked;
#endif
} node, *node_pointer;

typedef struct {
    size_t length;
    char bytes[];
} buffer_t;

typedef union {
    int i;
    float f;
} number_t;

typedef enum {
    LEVEL_LOW,       // the lowest
    LEVEL_HIGH = 10,
    LEVEL_ALL = LEVEL_LOW
        | LEVEL_HIGH
} level_t;

enum colour {
    RED,
#if defined(WITH_GREEN) && WITH_GREEN > 1
    GREEN,
#endif
    BLUE
};

enum { NO_NAME = 1 } flags;

typedef unsigned long word_t;
typedef int (*callback_t)(void *context), array_t[3];
typedef int function_t(int);

struct PACKED packed_record {
    int field;
};

#endif /* TYPES_H */
