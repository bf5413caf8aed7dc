/*
 * A small reader.
 *
 *	# comment
 *	; another comment
 *	key = value
 */
#include "reader.h"

static int quoted(struct lexer *lx)
{
	int c = next(lx);

	switch (c) {
	case 'n':
		c = '\n';
		break;
	case 'r':
		c = '\r';
		break;
	case 't':
		c = '\t';
		break;
	}
	return c;
}

static int token(struct lexer *lx)
{
	int c = next(lx);

	switch (c) {
	case '#':
	case ';':
		skip(lx);
		return token(lx);
	case '=':
		return TOKEN_EQUALS;
	default:
		return word(lx);
	}
}
