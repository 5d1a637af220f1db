package simd

import "testing"

func FuzzProducts(f *testing.F)  { fuzz(f, "products") }
func FuzzAttention(f *testing.F) { fuzz(f, "attention") }
func FuzzFloats(f *testing.F)    { fuzz(f, "floats") }
func FuzzRotations(f *testing.F) { fuzz(f, "rotations") }

// fuzz compares the kernels of a group with their definition: which kernel, in
// which of its shapes and placements, on data for all of its inputs in turn.
func fuzz(f *testing.F, group string) {
	var members []*body
	for i := range bodies {
		if bodies[i].group == group {
			members = append(members, &bodies[i])
		}
	}
	for i, b := range members {
		for _, s := range []int{0, 5, 17, len(b.some) - 1} {
			f.Add(uint8(i), uint16(s), uint8(s), []byte("\x00\x00\x80\x3f\x81\x7f\xff\x00\xc0\x7f"))
			f.Add(uint8(i), uint16(s), uint8(3*s), []byte("\x7f"))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, pick uint16, at uint8, data []byte) {
		b := members[int(which)%len(members)]
		c := newTrial(&offsets{align: int(at) % 64, skew: int(at) / 64})
		c.fill, c.data, c.alias = fuzzed, data, int(pick)%(b.aliases+1)
		s := b.some[int(pick)%len(b.some)]
		for _, k := range All() {
			if !k.Supported() {
				continue
			}
			c.begin(0)
			if err := c.compare(&k, b.prepare(c, s)); err != nil {
				t.Errorf("%s of %s, sizes %v, alias %d: %v", b.field, k.Name, s, c.alias, err)
			}
		}
	})
}
