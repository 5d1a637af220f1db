package cact

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

const (
	tagNeedle3  = 0x05E12A84
	tagNeedle2  = 0x05E12A83
	headerSize  = 49 * 4
	codebookLen = 4 + 8 + 16
	recordSize  = 44
	alignment   = 64
	groupSize   = 128
	maxLayers   = 64

	// maxRecords is far above the 1,840 of the largest text archive: a speech
	// archive has more, and is to be recognised as one.
	maxRecords = 1 << 14
	// maxContext bounds max_seq_len and the windows, which no record has to
	// match: a flipped bit must not ask for terabytes.
	maxContext = 1 << 20
	// maxDimension bounds every single size. The file has to hold records of
	// that size, so these numbers cost nothing until it does.
	maxDimension = 1 << 20
	// maxValues bounds the values of one record and the products of sizes, so
	// that an index fits an int on every machine.
	maxValues = math.MaxInt32

	engramTapCount = 4
	fixedTokens    = 16 // ids 0 to 15 have a meaning in every archive
)

// Geometry is what the header says, by meaning. Lengths count elements. Copies
// share EngramOrders and EngramSites, which are not to be written.
type Geometry struct {
	KVWindow      int    // window the model was trained with; 0: derive it, see Window
	KVBits        int    // 8
	VocabSize     int    // rows of the embedding
	OutVocab      int    // rows of the output head; 0: all
	Width         int    // d_model
	Heads         int    // query heads
	KVHeads       int    // heads of keys and values, a divisor of Heads
	Layers        int    // blocks of the stack
	QKDim         int    // per head, even
	VDim          int    // per head
	MaxSeqLen     int    // positions of the context
	HadaSize      int    // hada_n, the power of two at or above Width
	Lanes         int    // of the residual stream
	SlidingWindow int    // of local layers; 0: every layer attends to everything
	GlobalMask    uint64 // bit i: layer i has full attention
	ConvTaps      int    // on q, k, v; 0: none

	EngramSlots     int   // rows of each table
	EngramSubDim    int   // Width / EngramTables
	EngramTables    int   // orders times heads
	EngramConvTaps  int   // of the convolution over a site's values
	EngramDilation  int   // the largest order
	EngramSeedHeads int   // 0: the heads are the seed stride
	EngramOrders    []int // lengths of the n-grams, ascending
	EngramSites     []int // layers, ascending

	RopeTheta float32 // base of the rotary frequencies
}

// IsGlobal says whether a layer sees all positions.
func (g Geometry) IsGlobal(layer int) bool {
	return g.SlidingWindow == 0 || g.GlobalMask>>layer&1 == 1
}

// LogitCount is the number of rows of the output head.
func (g Geometry) LogitCount() int {
	if g.OutVocab > 0 {
		return g.OutVocab
	}
	return g.VocabSize
}

// kvBudget is the memory, in bytes, that the reference sizes its cache for.
const kvBudget = 11<<20 + 512<<10

// Window is the number of last positions every layer sees in a session: the
// header's kv_window or, where that is 0, what fits the reference's budget
// (cactus-needle, architecture.py, kv_budget_window).
func (g Geometry) Window() int {
	if g.KVWindow > 0 {
		return g.KVWindow
	}
	const group, least = 32, 160
	bytesOf := func(values int) int64 { return int64(values) + 4*int64(values/group) }
	layer := bytesOf(g.KVHeads*g.QKDim) + bytesOf(g.KVHeads*g.VDim)
	sites := int64(len(g.EngramSites)) * bytesOf(g.Width)
	clamp := func(window int64) int { return int(max(least, min(window, int64(g.MaxSeqLen)))) }
	if g.SlidingWindow == 0 {
		return clamp(kvBudget / (int64(g.Layers)*layer + sites) / group * group)
	}
	globals := int64(bits.OnesCount64(g.GlobalMask))
	local := int64(min(g.SlidingWindow, g.MaxSeqLen))
	fixed := ((int64(g.Layers)-globals)*layer + sites) * local
	if globals == 0 {
		if fixed <= kvBudget {
			return g.MaxSeqLen
		}
		return int(max(least, local))
	}
	return clamp((kvBudget - fixed) / (globals * layer) / group * group)
}

// Fields of the header, by number.
const (
	fieldTag = iota
	fieldRecords
	fieldCodebooks
	fieldKVWindow
	fieldKVBits
	fieldVocab
	fieldOutVocab
	fieldWidth
	fieldHeads
	fieldKVHeads
	fieldLayers
	fieldQKDim
	fieldVDim
	fieldMaxSeqLen
	fieldHadaSize
	fieldLanes
	fieldSlidingWindow
	fieldMaskLow
	fieldMaskHigh
	fieldConvTaps
	fieldSlots
	fieldSubDim
	fieldTables
	fieldEngramTaps
	fieldDilation
	fieldSeedHeads
	fieldOrderCount
	fieldOrders
	fieldSiteCount = fieldOrders + orderPlaces
	fieldSites     = fieldSiteCount + 1
	fieldTheta     = fieldSites + sitePlaces

	orderPlaces, sitePlaces = 4, 16
)

var fieldNames = [49]string{
	"tag", "num_tensors", "codebook_len", "kv_window", "kv_bits", "vocab", "out_vocab", "d_model", "num_heads",
	"num_kv_heads", "num_layers", "qk_head_dim", "v_head_dim", "max_seq_len", "hada_n", "mhc_lanes",
	"sliding_window", "global_mask_lo", "global_mask_hi", "qkv_conv_taps", "engram_slots", "engram_sub_dim",
	"num_engram_tables", "engram_conv_taps", "engram_conv_dilation", "engram_seed_heads", "num_engram_orders",
	"engram_orders[0]", "engram_orders[1]", "engram_orders[2]", "engram_orders[3]", "num_engram_sites",
	"engram_sites[0]", "engram_sites[1]", "engram_sites[2]", "engram_sites[3]", "engram_sites[4]",
	"engram_sites[5]", "engram_sites[6]", "engram_sites[7]", "engram_sites[8]", "engram_sites[9]",
	"engram_sites[10]", "engram_sites[11]", "engram_sites[12]", "engram_sites[13]", "engram_sites[14]",
	"engram_sites[15]", "rope_theta",
}

// headerReader checks fields as it reads them; the first fault stays.
type headerReader struct {
	data []byte
	err  error
}

func (r *headerReader) raw(field int) uint32 {
	return binary.LittleEndian.Uint32(r.data[4*field:])
}

func (r *headerReader) fail(field int, expected string, found any) {
	if r.err == nil {
		r.err = &HeaderError{fieldNames[field], expected, fmt.Sprint(found)}
	}
}

// number reads a field and wants it within [low, high].
func (r *headerReader) number(field int, low, high int64) int {
	v := int64(r.raw(field))
	if v < low || v > high {
		expected := fmt.Sprintf("%d to %d", low, high)
		if low == high {
			expected = fmt.Sprint(low)
		}
		r.fail(field, expected, v)
		return int(low)
	}
	return int(v)
}

// within wants a product of sizes to fit an int on every machine.
func (r *headerReader) within(field int, product string, a, b int) {
	n := int64(a) * int64(b)
	r.require(n <= maxValues, field, fmt.Sprintf("%s of at most %d", product, maxValues), n)
}

func (r *headerReader) require(ok bool, field int, expected string, found any) {
	if !ok {
		r.fail(field, expected, found)
	}
}

// parseHeader reads and checks the geometry. data holds at least the header.
func parseHeader(data []byte) (Geometry, error) {
	r := &headerReader{data: data}
	g := Geometry{
		KVWindow:  r.number(fieldKVWindow, 0, maxContext),
		VocabSize: r.number(fieldVocab, fixedTokens, maxDimension), OutVocab: r.number(fieldOutVocab, 0, maxDimension),
		Width: r.number(fieldWidth, 1, maxDimension), Heads: r.number(fieldHeads, 1, maxDimension), KVHeads: r.number(fieldKVHeads, 1, maxDimension),
		Layers: r.number(fieldLayers, 1, maxLayers), QKDim: r.number(fieldQKDim, 2, maxDimension), VDim: r.number(fieldVDim, 1, maxDimension),
		MaxSeqLen: r.number(fieldMaxSeqLen, 1, maxContext), HadaSize: r.number(fieldHadaSize, 1, 2*maxDimension), Lanes: r.number(fieldLanes, 1, 64),
		SlidingWindow: r.number(fieldSlidingWindow, 0, maxContext),
		GlobalMask:    uint64(r.raw(fieldMaskLow)) | uint64(r.raw(fieldMaskHigh))<<32,
		ConvTaps:      r.number(fieldConvTaps, 0, 64),
		EngramSlots:   r.number(fieldSlots, 0, 1<<30), EngramSubDim: r.number(fieldSubDim, 0, maxDimension), EngramTables: r.number(fieldTables, 0, 1024),
		EngramConvTaps: r.number(fieldEngramTaps, 0, 64), EngramDilation: r.number(fieldDilation, 0, 1024), EngramSeedHeads: r.number(fieldSeedHeads, 0, 1<<20),
		RopeTheta: math.Float32frombits(r.raw(fieldTheta)),
	}
	g.KVBits = int(r.raw(fieldKVBits))
	switch g.KVBits {
	case 8:
	case 2, 3, 4:
		return g, fmt.Errorf("cact: kv_bits %d: %w", g.KVBits, ErrKVBits)
	default:
		r.fail(fieldKVBits, "8", g.KVBits)
	}
	if r.err == nil {
		checkGeometry(r, &g)
	}
	if r.err == nil {
		readEngrams(r, &g)
	}
	return g, r.err
}

// checkGeometry holds the fields against each other.
func checkGeometry(r *headerReader, g *Geometry) {
	r.require(g.OutVocab <= g.VocabSize, fieldOutVocab, fmt.Sprintf("at most vocab, %d", g.VocabSize), g.OutVocab)
	r.require(g.OutVocab == 0 || g.OutVocab >= fixedTokens, fieldOutVocab, fmt.Sprintf("0, or at least the %d fixed tokens", fixedTokens), g.OutVocab)
	r.require(g.Heads%g.KVHeads == 0, fieldHeads, fmt.Sprintf("a multiple of num_kv_heads, %d", g.KVHeads), g.Heads)
	r.within(fieldHeads, "num_heads * qk_head_dim", g.Heads, g.QKDim)
	r.within(fieldHeads, "num_heads * v_head_dim", g.Heads, g.VDim)
	r.require(g.QKDim%2 == 0, fieldQKDim, "an even number", g.QKDim)
	r.require(g.HadaSize == 1<<bits.Len(uint(g.Width-1)), fieldHadaSize, fmt.Sprintf("%d, the power of two at or above d_model", 1<<bits.Len(uint(g.Width-1))), g.HadaSize)
	beyond := g.GlobalMask >> (g.Layers - 1) >> 1 << 1 << (g.Layers - 1)
	noLayer := fmt.Sprintf("no bit at or above num_layers, %d", g.Layers)
	r.require(uint32(beyond) == 0, fieldMaskLow, noLayer, fmt.Sprintf("%#08x", r.raw(fieldMaskLow)))
	r.require(beyond>>32 == 0, fieldMaskHigh, noLayer, fmt.Sprintf("%#08x", r.raw(fieldMaskHigh)))
	r.require(g.SlidingWindow == 0 || g.SlidingWindow >= g.ConvTaps, fieldSlidingWindow, fmt.Sprintf("0, or at least qkv_conv_taps, %d", g.ConvTaps), g.SlidingWindow)
	r.require(g.KVWindow == 0 || g.KVWindow >= 10, fieldKVWindow, "0, or at least 10", g.KVWindow)
	theta := float64(g.RopeTheta)
	r.require(theta > 1 && theta <= 1e12, fieldTheta, "a number above 1 and up to 1e12", g.RopeTheta)
}

// readEngrams reads orders and sites, and zeros behind them.
func readEngrams(r *headerReader, g *Geometry) {
	orders := r.number(fieldOrderCount, 0, orderPlaces)
	sites := r.number(fieldSiteCount, 0, sitePlaces)
	for i := range orderPlaces {
		if i >= orders {
			r.number(fieldOrders+i, 0, 0)
			continue
		}
		g.EngramOrders = append(g.EngramOrders, r.number(fieldOrders+i, 1, 64))
	}
	last := -1
	for i := range sitePlaces {
		if i >= sites {
			r.number(fieldSites+i, 0, 0)
			continue
		}
		site := r.number(fieldSites+i, 0, maxLayers-1)
		r.require(site < g.Layers, fieldSites+i, fmt.Sprintf("a layer below num_layers, %d", g.Layers), site)
		r.require(site > last, fieldSites+i, fmt.Sprintf("a layer above the previous site's, %d", last), site)
		g.EngramSites = append(g.EngramSites, site)
		last = site
	}
	if sites > 0 && r.err == nil {
		checkEngrams(r, g)
	}
}

// checkEngrams holds the sizes of the engram memory against each other.
func checkEngrams(r *headerReader, g *Geometry) {
	orders := len(g.EngramOrders)
	r.require(orders > 0, fieldOrderCount, "at least 1 where there are sites", orders)
	if r.err != nil {
		return
	}
	r.require(g.EngramTables > 0 && g.EngramTables%orders == 0, fieldTables, fmt.Sprintf("a multiple of num_engram_orders, %d", orders), g.EngramTables)
	r.within(fieldSlots, "num_engram_tables * engram_slots", g.EngramTables, g.EngramSlots)
	r.require(g.EngramSlots > 0, fieldSlots, "at least 1 where there are sites", g.EngramSlots)
	r.require(g.EngramSubDim*g.EngramTables == g.Width, fieldSubDim, fmt.Sprintf("d_model / num_engram_tables, %d / %d", g.Width, g.EngramTables), g.EngramSubDim)
	r.require(g.EngramConvTaps == engramTapCount, fieldEngramTaps, fmt.Sprint(engramTapCount), g.EngramConvTaps)
	top := slices.Max(g.EngramOrders)
	r.require(g.EngramDilation == top, fieldDilation, fmt.Sprintf("the largest order, %d", top), g.EngramDilation)
}

// parseCodebooks checks and returns the widths 2, 3 and 4: points of a unit
// sphere, ascending.
func parseCodebooks(data []byte) ([codebookLen]float32, error) {
	var book [codebookLen]float32
	for i := range book {
		v := math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		first := i == 0 || i == 4 || i == 12
		if !(v >= -1 && v <= 1) || !first && v <= book[i-1] {
			return book, &HeaderError{fmt.Sprintf("codebook[%d]", i), "ascending values from -1 to 1", fmt.Sprint(v)}
		}
		book[i] = v
	}
	return book, nil
}
