package store

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrMissing is returned for a key that is not there.
var ErrMissing = errors.New("store: no such key")

type entry struct {
	value   string
	expires time.Time
}

// Store keeps strings for a while.
type Store struct {
	mu      sync.Mutex
	entries map[string]entry
	hits    int
	misses  int
}

// New returns an empty store.
func New() *Store {
	return &Store{entries: make(map[string]entry)}
}

// Get returns the value of a key.
func (s *Store) Get(key string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.entries[key]
	if !ok {
		s.misses++
		return "", ErrMissing
	}
	if time.Now().After(found.expires) {
		delete(s.entries, key)
		s.misses++
		return "", fmt.Errorf("%q expired: %w", key, ErrMissing)
	}
	s.hits++
	return found.value, nil
}

// Set keeps a value for the given time.
func (s *Store) Set(key, value string, ttl time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[key] = entry{value: value, expires: time.Now().Add(ttl)}
}

// Len returns the number of keys.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries)
}
