#include <stdio.h>

#if defined(QUIET) && defined(STRICT)
    /* both at once make no sense */
    #error "choose one"
#endif

static int depth(const char *path)
{
    int count = 0;
#ifndef QUIET
    fprintf(stderr, "looking at %s\n", path);
#endif
    for (; *path; path++) {
        if (*path == '/')
            count++;
    }
#ifdef STRICT
    if (count > LIMIT)
        return -1;
#endif
    return count;
}

int main(int argc, char **argv)
{
#ifdef STRICT
    if (argc < 2)
        return 1;
#endif
    return depth(argv[1]) < 0;
}
