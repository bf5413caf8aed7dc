package queue

import (
	"errors"
	"sync"
)

// ErrEmpty says that nothing is waiting.
var ErrEmpty = errors.New("queue: empty")

// Queue hands out what was put in first.
type Queue struct {
	mu    sync.Mutex
	items []string
}

// Push appends an item.
func (q *Queue) Push(item string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, item)
}

// Pop takes the oldest item.
func (q *Queue) Pop() (string, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return "", ErrEmpty
	}
	item := q.items[0]
	q.items = q.items[1:]
	return item, nil
}

// Len counts what is waiting.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}
