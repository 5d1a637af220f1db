package tokenizer

// markerTrie finds the longest user-defined piece at a place of a text. The zero value is empty.
type markerTrie struct {
	nodes []markerNode // nodes[0] is the root
	first [256]bool    // bytes a marker begins with, so that most places are left at once
}

// markerNode is one byte of a marker; its children are a list through their siblings.
type markerNode struct {
	id             int32 // the piece that ends here, or -1
	child, sibling int32 // 0 for none: the root is nobody's child
	char           byte
}

func (m *markerTrie) add(text string, id int32) {
	if len(m.nodes) == 0 {
		m.nodes = []markerNode{{id: -1}}
	}
	m.first[text[0]] = true
	at := int32(0)
	for i := 0; i < len(text); i++ {
		next := m.step(at, text[i])
		if next == 0 {
			next = int32(len(m.nodes))
			m.nodes = append(m.nodes, markerNode{id: -1, sibling: m.nodes[at].child, char: text[i]})
			m.nodes[at].child = next
		}
		at = next
	}
	m.nodes[at].id = id
}

// step returns the child of a node for a byte, 0 for none.
func (m *markerTrie) step(at int32, c byte) int32 {
	next := m.nodes[at].child
	for next != 0 && m.nodes[next].char != c {
		next = m.nodes[next].sibling
	}
	return next
}

// longest returns the longest marker that text begins with and its length in bytes, or -1. The first byte
// has to be one that a marker begins with.
func (m *markerTrie) longest(text string) (id int32, size int) {
	id = -1
	at := int32(0)
	for i := 0; i < len(text); i++ {
		if at = m.step(at, text[i]); at == 0 {
			break
		}
		if m.nodes[at].id >= 0 {
			id, size = m.nodes[at].id, i+1
		}
	}
	return id, size
}

// next returns where the first marker of text begins, its id and its length; at is len(text) and the id
// -1 when there is none. Markers and text are valid UTF-8, so a match never begins inside a character.
func (m *markerTrie) next(text string) (at int, id int32, size int) {
	for ; at < len(text); at++ {
		if !m.first[text[at]] {
			continue
		}
		if id, size = m.longest(text[at:]); id >= 0 {
			return at, id, size
		}
	}
	return at, -1, 0
}
