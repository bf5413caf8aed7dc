#include <stdio.h>
#define LIMIT 10
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))

typedef struct node {
    int value;
    struct node *next;
} node_t;

struct pair {
    int a;
};

enum color { RED, GREEN };

typedef int (*callback)(int);

static int counter = 0;
extern int other(int x);

/* Adds a node. */
static node_t *
add(node_t *list, int value)
{
    int local = 1;
    return list;
}

#ifdef DEBUG
void dump(const node_t *list) {
    printf("x");
}
#else
void dump(const node_t *list) {}
#endif

int main(int argc, char **argv)
{
    return 0;
}
