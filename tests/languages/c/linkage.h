/* The braces of `extern "C"` stand under conditions, so that C does not see them. */
#ifndef LINKAGE_H
#define LINKAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Attached. */
PUBLIC_API handle_t *open_handle(const char *name);

struct größe {
    int länge;
};

static inline const char *next_name(va_list names) { return va_arg(names, const char *); }

#if defined(__cplusplus)
} /* extern "C" */
#endif

#endif /* LINKAGE_H */
