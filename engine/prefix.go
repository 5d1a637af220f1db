package engine

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/libneedle/libneedle/engine/model"
)

// prefixKey names a prefix by its content and the depth that computed it.
type prefixKey [sha256.Size]byte

func newPrefixKey(depth int, ids []int32) prefixKey {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+4*len(ids)), uint32(depth))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return sha256.Sum256(b)
}

// prefixCache keeps the states at the ends of the prefixes that were used last. It is safe for concurrent
// use.
type prefixCache struct {
	mu     sync.Mutex
	size   int
	recent *list.List // of *prefixEntry, the last used first
	byKey  map[prefixKey]*list.Element
}

type prefixEntry struct {
	key   prefixKey
	state *model.Snapshot
}

func newPrefixCache(size int) *prefixCache {
	return &prefixCache{size: size, recent: list.New(), byKey: map[prefixKey]*list.Element{}}
}

// get returns a state, nil when it is not kept.
func (c *prefixCache) get(key prefixKey) *model.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.byKey[key]
	if !ok {
		return nil
	}
	c.recent.MoveToFront(at)
	return at.Value.(*prefixEntry).state
}

// put keeps a state and drops the one that was not used for longest.
func (c *prefixCache) put(key prefixKey, state *model.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[key]; ok || c.size <= 0 {
		return
	}
	c.byKey[key] = c.recent.PushFront(&prefixEntry{key, state})
	for c.recent.Len() > c.size {
		last := c.recent.Back()
		delete(c.byKey, c.recent.Remove(last).(*prefixEntry).key)
	}
}
