package cact

import "fmt"

// DType is how a record's values are stored.
type DType uint8

// The stored types.
const (
	FP16Record DType = 1
	FP32Record DType = 2
	CQRecord   DType = 3
	RawRecord  DType = 4
)

func (d DType) String() string {
	switch d {
	case FP16Record:
		return "FP16"
	case FP32Record:
		return "FP32"
	case CQRecord:
		return "CQ"
	case RawRecord:
		return "RAW"
	}
	return fmt.Sprintf("type %d", uint8(d))
}

// HeadCode names a probe head in the manifest.
type HeadCode int

// The heads there are.
const (
	EmbeddingHead  HeadCode = 1
	ConfidenceHead HeadCode = 2
	RouterHead     HeadCode = 3
)

func (c HeadCode) String() string {
	switch c {
	case EmbeddingHead:
		return "embedding"
	case ConfidenceHead:
		return "confidence"
	case RouterHead:
		return "router"
	}
	return fmt.Sprintf("head %d", int(c))
}

// want is what a place in the directory demands. A length of anyLength is free.
type want struct {
	role  string
	dtype DType
	shape []int
}

const anyLength = -1

// wantBody lists the records from the embedding to final_norm.
func wantBody(g Geometry) []want {
	d, n, lanes := g.Width, g.HadaSize, g.Lanes
	w := []want{{"embedding", CQRecord, []int{g.VocabSize, d}}}
	for l := range g.Layers {
		w = append(w, wantLayer(g, fmt.Sprintf("layers.%d.", l))...)
	}
	for _, a := range []string{"a_pre", "a_post", "a_res"} {
		w = append(w, want{"lanes." + a, FP16Record, []int{g.Layers}})
	}
	return append(append(w,
		want{"lanes.b_pre", FP16Record, []int{g.Layers, lanes}},
		want{"lanes.b_post", FP16Record, []int{g.Layers, lanes}},
		want{"lanes.b_res", FP16Record, []int{g.Layers, lanes, lanes}},
		want{"lanes.phi_pre", CQRecord, []int{g.Layers * lanes, lanes * d}},
		want{"lanes.phi_post", CQRecord, []int{g.Layers * lanes, lanes * d}},
		want{"lanes.phi_res", CQRecord, []int{g.Layers * lanes * lanes, lanes * d}},
		want{"hada_p1", FP32Record, []int{n}},
		want{"hada_p2", FP32Record, []int{n}},
	), wantTail(g)...)
}

func wantTail(g Geometry) []want {
	var w []want
	row := g.EngramTables * g.EngramSubDim
	for s := range g.EngramSites {
		prefix := fmt.Sprintf("engrams.%d.", s)
		w = append(w,
			want{prefix + "tables", CQRecord, []int{g.EngramTables * g.EngramSlots, g.EngramSubDim}},
			want{prefix + "key_proj", CQRecord, []int{g.Width, row}},
			want{prefix + "value_proj", CQRecord, []int{g.Width, row}},
			want{prefix + "taps", FP16Record, []int{g.EngramConvTaps, g.Width}},
		)
	}
	return append(w, want{"final_norm", FP16Record, []int{g.Width}})
}

func wantLayer(g Geometry, prefix string) []want {
	d, n := g.Width, g.HadaSize
	q, k, v, o := g.Heads*g.QKDim, g.KVHeads*g.QKDim, g.KVHeads*g.VDim, g.Heads*g.VDim
	ba, bb := kronFactors(n)
	w := []want{
		{"norm_in", FP16Record, []int{d}},
		{"q_proj", CQRecord, []int{q, d}}, {"k_proj", CQRecord, []int{k, d}}, {"v_proj", CQRecord, []int{v, d}},
	}
	if t := g.ConvTaps; t > 0 {
		w = append(w, want{"q_taps", FP16Record, []int{t, q}}, want{"k_taps", FP16Record, []int{t, k}}, want{"v_taps", FP16Record, []int{t, v}})
	}
	w = append(w, []want{
		{"q_norm", FP16Record, []int{g.QKDim}}, {"k_norm", FP16Record, []int{g.QKDim}},
		{"gate_proj", CQRecord, []int{o, d}}, {"out_proj", CQRecord, []int{d, o}},
		{"post_norm", FP16Record, []int{d}}, {"attn_gate", FP16Record, []int{1}}, {"pre_hada", FP16Record, []int{d}},
		{"d1", FP16Record, []int{n}}, {"d2", FP16Record, []int{n}}, {"b2", FP16Record, []int{n}},
		{"d3", FP16Record, []int{n}}, {"d4", FP16Record, []int{n}},
		{"w1a", FP16Record, []int{ba, ba}}, {"w1b", FP16Record, []int{bb, bb}},
		{"w2a", FP16Record, []int{ba, ba}}, {"w2b", FP16Record, []int{bb, bb}},
		{"w3a", FP16Record, []int{ba, ba}}, {"w3b", FP16Record, []int{bb, bb}},
		{"cond_v", FP16Record, []int{d, anyLength}}, {"cond_u", FP16Record, []int{anyLength, n}},
	}...)
	for i := range w {
		w[i].role = prefix + w[i].role
	}
	return w
}

// kronFactors splits the Hadamard size into the two factors of its Kronecker
// products: ba = 2^(bit_length(n-1) div 2), bb = n/ba.
func kronFactors(n int) (ba, bb int) {
	log := 0
	for 1<<log < n {
		log++
	}
	ba = 1 << (log / 2)
	return ba, n / ba
}

// wantHead lists a head's records. The numbers of probes, queries and outputs
// are free; headShapes ties them together.
func wantHead(code HeadCode) []want {
	prefix := "heads." + code.String() + "."
	w := []want{
		{prefix + "probes", CQRecord, nil}, {prefix + "gain", FP16Record, nil}, {prefix + "query", CQRecord, nil},
		{prefix + "row_bias", FP16Record, nil}, {prefix + "proj", CQRecord, nil}, {prefix + "bias", FP16Record, nil},
	}
	if code == RouterHead {
		w = append(w, want{prefix + "calibration", FP16Record, []int{3}})
	}
	return w
}
