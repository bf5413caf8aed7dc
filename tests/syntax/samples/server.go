// Package server serves.
package server

import "fmt"
import (
	"os"
	"net/http"
)

const Limit = 10

const (
	A = iota
	B
)

var ErrX = errors.New("x")

// Server serves.
type Server struct {
	Name string
	mu   sync.Mutex
}

type Handler interface {
	Handle(w http.ResponseWriter) error
}

type (
	ID   int
	Pair struct {
		a, b int
	}
)

type Alias = string

// Start starts.
func (s *Server) Start(
	addr string,
) error {
	run := func() {
		x()
	}
	return nil
}

func (l List[T]) Len() int { return 0 }

func Map[T any](xs []T) []T {
	return xs
}
