package engine

import (
	"container/list"
	"sync"
)

// lru keeps the values that were used last, as far as their sizes together stay within a limit. It is safe for
// concurrent use; nil and the zero value keep nothing.
type lru[K comparable, V any] struct {
	mu         sync.Mutex
	most, held int
	recent     list.List // of *lruEntry, the last used first
	byKey      map[K]*list.Element
}

type lruEntry[K comparable, V any] struct {
	key   K
	value V
	size  int
}

func newLRU[K comparable, V any](most int) *lru[K, V] {
	return &lru[K, V]{most: most, byKey: map[K]*list.Element{}}
}

// get returns a value; ok is false when it is not kept.
func (c *lru[K, V]) get(key K) (value V, ok bool) {
	if c == nil {
		return value, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.byKey[key]
	if !ok {
		return value, false
	}
	c.recent.MoveToFront(at)
	return at.Value.(*lruEntry[K, V]).value, true
}

// put keeps a value, unless one of its key is kept, and drops those that were not used for longest.
func (c *lru[K, V]) put(key K, value V, size int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[key]; ok || c.most <= 0 {
		return
	}
	c.byKey[key] = c.recent.PushFront(&lruEntry[K, V]{key, value, size})
	for c.held += size; c.held > c.most; {
		last := c.recent.Remove(c.recent.Back()).(*lruEntry[K, V])
		c.held -= last.size
		delete(c.byKey, last.key)
	}
}
