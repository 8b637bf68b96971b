/* Macros in front of a type, and what is newer than the grammar. */

PUBLIC_API int open_file(const char *name);

/* Attached. */
PUBLIC_API static struct file *find_file(
    const char *name,
    size_t größe)
{
    auto found = lookup(name);
    switch (found->kind) {
    case 1 ... 3:
        return 0;
    case 'a' ... 'z':
        break;
    }
    return found;
}

static _Thread_local int depth;

enum level { LOW [[deprecated("old")]] = 1, HIGH };
