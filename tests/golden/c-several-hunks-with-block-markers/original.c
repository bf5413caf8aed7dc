#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 64

struct node {
	char name[MAX_NAME];
	struct node *next;
};

static struct node *head;

/* Puts a name in front. */
int push(const char *name)
{
	struct node *node = malloc(sizeof *node);

	if (!node)
		return -1;
	strncpy(node->name, name, MAX_NAME - 1);
	node->next = head;
	head = node;
	return 0;
}

/* Forgets all names. */
void clear(void)
{
	while (head) {
		struct node *next = head->next;

		free(head);
		head = next;
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		push(argv[i]);
	clear();
	return 0;
}
