CC ?= cc
CFLAGS ?= -O2 -Wall

all: server client

server: server.o common.o
	$(CC) $(CFLAGS) -o $@ $^

client: client.o common.o
	$(CC) $(CFLAGS) -o $@ $^

clean:
	rm -f *.o server client
	rm -rf coverage
