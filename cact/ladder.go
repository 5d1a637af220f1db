package cact

import "slices"

// Ladder returns, ascending, the blocks that depth keeps of a stack of layers
// blocks: the first and the last, then the midpoint of the largest gap between
// kept blocks, the leftmost on a tie, until there are depth of them. depth is
// within [2, layers], or layers.
func Ladder(layers, depth int) []int {
	if depth >= layers {
		depth = layers
	}
	kept := []int{0, layers - 1}
	if layers < 2 || depth < 2 {
		return kept[:max(min(layers, depth), 1)]
	}
	for len(kept) < depth {
		widest := 0
		for i := range len(kept) - 1 {
			if kept[i+1]-kept[i] > kept[widest+1]-kept[widest] {
				widest = i
			}
		}
		kept = slices.Insert(kept, widest+1, (kept[widest]+kept[widest+1])/2)
	}
	return kept
}
