package simd

// TileRows is the number of matrix rows that lie interleaved in a tile.
//
// A tile holds TileRows rows of one group. Its 64-byte vectors hold, in dword r,
// the next codes of row r as the archive packs them (LSB first): 16 codes of 2
// bits in a narrow tile, 8 codes of 4 bits in a wide one. A vector unit of any
// width then works on several rows at once, with one value of the input
// broadcast to all, and never has to add across its lanes.
const TileRows = 16

// Bytes of one tile, its norms aside.
const (
	NarrowTile = TileRows * Group / 4
	WideTile   = TileRows * Group / 2
)

// Tiles are consecutive rows of a CQ matrix in tiles.
type Tiles struct {
	Rows   int      // the last tile's missing rows are zeros
	Groups int      // per row
	Codes  []byte   // [tiles][groups][NarrowTile or WideTile]
	Norms  []uint16 // [tiles][groups][TileRows], IEEE half precision
}

// Inputs are the rotated int8 vectors of several tokens.
type Inputs struct {
	Tokens int
	Values []int16   // [tokens][groups][Group], arranged by ArrangeNarrow or ArrangeWide
	First  []float32 // [tokens][groups], the sum of the group's rotated values
	Bias   []int32   // [tokens][groups], minus First
	Scale  []float32 // [tokens]
}

// Levels is a codebook in integers: code k stands for Level[k] + Offset, in
// units of Unit. Narrow products use four codes and levels of at most 127 in
// magnitude; wide ones 16 codes and levels of at most 8191. It is read-only.
type Levels struct {
	Level  [16]int16
	Offset float32
	Unit   float32

	quads [256][4]int16 // narrow: levels of a byte's four codes
	pairs [256][2]int16 // wide: levels of a byte's two codes
	lookup
}

// lookup holds the levels as byte and word shuffles want them. A shuffle looks
// at the low 4 bits of each byte (5 of each word), so that tables which repeat
// themselves replace masks.
type lookup struct {
	narrow [2][64]uint8 // level + 128, by bits 0-1, by bits 2-3 of the index
	low    [64]uint8    // wide: low byte, by nibble
	high   [64]int8     // wide: high byte
	words  [32]int16    // wide: by the low 4 bits
}

// NewLevels returns the levels with their lookup tables.
func NewLevels(level [16]int16, offset, unit float32) *Levels {
	l := &Levels{Level: level, Offset: offset, Unit: unit}
	for b := range 256 {
		for q := range 4 {
			l.quads[b][q] = level[b>>(2*q)&3]
		}
		l.pairs[b] = [2]int16{level[b&15], level[b>>4]}
	}
	for i := range 64 {
		for field := range l.narrow {
			v := level[i>>(2*field)&3]
			l.narrow[field][i] = uint8(v + 128)
		}
		v := level[i&15]
		l.low[i], l.high[i] = uint8(v), int8(v>>8)
		l.words[i&31] = v
	}
	return l
}

// MulNarrow writes products with 2-bit tiles: for each token t, m.Rows values
// at y[t*stride:]. A row's value is
//
//	(sum over groups, ascending, of norm * (dot + First*Offset)) * (Unit*Scale)
//
// where dot is the exact integer product of levels and rotated values. The
// caller knows that every dot fits int32 (package quant).
func MulNarrow(y []float32, stride int, m Tiles, l *Levels, x Inputs) {
	for t := range x.Tokens {
		for tile := 0; tile*TileRows < m.Rows; tile++ {
			rows := min(TileRows, m.Rows-tile*TileRows)
			for r := range rows {
				var sum float32
				for g := range m.Groups {
					n := tile*m.Groups + g
					codes := m.Codes[n*NarrowTile+4*r:]
					h := x.group(t, m.Groups, g)
					var s0, s1, s2, s3 int32
					for j := 0; j < Group; j += 4 {
						c, v := &l.quads[codes[j/16*64+j/4%4]], (*[4]int16)(h[j:])
						s0 += int32(c[0]) * int32(v[0])
						s1 += int32(c[1]) * int32(v[1])
						s2 += int32(c[2]) * int32(v[2])
						s3 += int32(c[3]) * int32(v[3])
					}
					sum = l.accumulate(sum, s0+s1+s2+s3, x.First[t*m.Groups+g], m.Norms[n*TileRows+r])
				}
				y[t*stride+tile*TileRows+r] = sum * float32(l.Unit*x.Scale[t])
			}
		}
	}
}

// MulWide is MulNarrow for 4-bit tiles.
func MulWide(y []float32, stride int, m Tiles, l *Levels, x Inputs) {
	for t := range x.Tokens {
		for tile := 0; tile*TileRows < m.Rows; tile++ {
			rows := min(TileRows, m.Rows-tile*TileRows)
			for r := range rows {
				var sum float32
				for g := range m.Groups {
					n := tile*m.Groups + g
					codes := m.Codes[n*WideTile+4*r:]
					h := x.group(t, m.Groups, g)
					var s0, s1 int32
					for j := 0; j < Group; j += 2 {
						c, v := &l.pairs[codes[j/8*64+j/2%4]], (*[2]int16)(h[j:])
						s0 += int32(c[0]) * int32(v[0])
						s1 += int32(c[1]) * int32(v[1])
					}
					sum = l.accumulate(sum, s0+s1, x.First[t*m.Groups+g], m.Norms[n*TileRows+r])
				}
				y[t*stride+tile*TileRows+r] = sum * float32(l.Unit*x.Scale[t])
			}
		}
	}
}

func (x *Inputs) group(t, groups, g int) *[Group]int16 {
	return (*[Group]int16)(x.Values[(t*groups+g)*Group:])
}

func (l *Levels) accumulate(sum float32, dot int32, first float32, norm uint16) float32 {
	return sum + float32((float32(dot)+float32(first*l.Offset))*HalfToFloat(norm))
}
