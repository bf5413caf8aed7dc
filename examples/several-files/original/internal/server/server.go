package server

import (
	"encoding/json"
	"log"
	"net/http"

	"example.com/shop/internal/store"
)

// Server answers requests for the products of a store.
type Server struct {
	store *store.Store
	mux   *http.ServeMux
}

// New returns a server for the store.
func New(s *store.Store) *Server {
	server := &Server{store: s, mux: http.NewServeMux()}
	server.routes()
	return server
}

func (s *Server) routes() {
	s.mux.HandleFunc("GET /products", s.listProducts)
	s.mux.HandleFunc("GET /products/{id}", s.getProduct)
}

// ServeHTTP makes Server a http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mux.ServeHTTP(w, r)
}

func (s *Server) listProducts(w http.ResponseWriter, r *http.Request) {
	products, err := s.store.Products(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, http.StatusOK, products)
}

func (s *Server) getProduct(w http.ResponseWriter, r *http.Request) {
	product, err := s.store.Product(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, http.StatusOK, product)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		log.Printf("reply: %v", err)
	}
}

func fail(w http.ResponseWriter, err error) {
	log.Printf("request failed: %v", err)
	http.Error(w, "internal error", http.StatusInternalServerError)
}
