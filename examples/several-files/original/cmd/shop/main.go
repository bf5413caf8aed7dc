package main

import (
	"flag"
	"log"
	"net/http"

	"example.com/shop/internal/server"
	"example.com/shop/internal/store"
)

func main() {
	address := flag.String("address", ":8080", "where to listen")
	database := flag.String("database", "shop.db", "path of the database")
	flag.Parse()

	s, err := store.Open(*database)
	if err != nil {
		log.Fatalf("open %s: %v", *database, err)
	}
	defer s.Close()

	log.Printf("listening on %s", *address)
	log.Fatal(http.ListenAndServe(*address, server.New(s)))
}
