package engine

import (
	"crypto/sha256"
	"encoding/binary"
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
