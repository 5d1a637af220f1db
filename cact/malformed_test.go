package cact

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// edit is an archive about to be damaged.
type edit struct {
	t    *testing.T
	data []byte
	a    *Archive
}

func newEdit(t *testing.T, name string) *edit {
	data := readCase(t, name, "model.cact")
	a, err := OpenBytes(slices.Clone(data))
	if err != nil {
		t.Fatal(err)
	}
	return &edit{t, data, a}
}

func (e *edit) field(n int, v uint32) { binary.LittleEndian.PutUint32(e.data[4*n:], v) }

func (e *edit) entry(role string) []byte {
	return e.data[headerSize+4*codebookLen+recordSize*e.a.Lookup(role).Index:]
}

func (e *edit) put16(role string, value int, v uint16) {
	binary.LittleEndian.PutUint16(e.data[int(e.a.Lookup(role).Offset)+2*value:], v)
}

func (e *edit) put32(role string, value int, v float32) {
	binary.LittleEndian.PutUint32(e.data[int(e.a.Lookup(role).Offset)+4*value:], math.Float32bits(v))
}

// transpose exchanges the first two dimensions in the directory.
func (e *edit) transpose(role string) {
	entry := e.entry(role)
	for i := range 4 {
		entry[4+i], entry[8+i] = entry[8+i], entry[4+i]
	}
}

// rebuild writes the archive anew from its changed parts.
func (e *edit) rebuild(change func(parts []part) []part) {
	var parts []part
	for _, r := range e.a.records {
		parts = append(parts, part{*r, r.blob})
	}
	e.data = rewrite(e.t, e.a, change(parts))
	e.a = e.addressed(e.data)
}

// addressed finds the blobs of the damaged archive by the records' order.
func (e *edit) addressed(data []byte) *Archive {
	b := &Archive{data: data, byRole: map[string]*Record{}}
	for i := range int(binary.LittleEndian.Uint32(data[4*fieldRecords:])) {
		entry := readEntry(data[headerSize+4*codebookLen+i*recordSize:])
		r := &Record{Index: i, DType: DType(entry.dtype), Group: int(entry.group), Bits: int(entry.bits),
			Offset: int64(entry.offset), Size: int64(entry.size)}
		for _, s := range entry.shape[:entry.ndim] {
			r.Shape = append(r.Shape, int(s))
		}
		if i < len(e.a.records) {
			r.Role = e.a.records[i].Role
		}
		r.blob = data[r.Offset : r.Offset+r.Size]
		b.records = append(b.records, r)
		b.byRole[r.Role] = r
	}
	return b
}

func (e *edit) without(role string) {
	e.rebuild(func(parts []part) []part {
		return slices.DeleteFunc(parts, func(p part) bool { return p.record.Role == role })
	})
}

func (e *edit) replace(role string, blob []byte) {
	e.rebuild(func(parts []part) []part {
		parts[e.a.Lookup(role).Index].blob = blob
		return parts
	})
}

func (e *edit) swap(one, other string) {
	i, j := e.a.Lookup(one).Index, e.a.Lookup(other).Index
	e.rebuild(func(parts []part) []part {
		parts[i], parts[j] = parts[j], parts[i]
		return parts
	})
}

// reshape gives an FP16 record another shape, and zeros.
func (e *edit) reshape(role string, shape ...int) {
	e.rebuild(func(parts []part) []part {
		p := &parts[e.a.Lookup(role).Index]
		p.record.Shape = shape
		p.blob = make([]byte, p.record.blobSize())
		return parts
	})
}

// resize gives a CQ record another number of rows, and zeros.
func (e *edit) resize(role string, rows int) {
	e.reshape(role, rows, e.a.Lookup(role).Shape[1])
}

// TestMalformed damages one thing at a time and wants the error to be of the
// right type and to name the place.
func TestMalformed(t *testing.T) {
	u32 := binary.LittleEndian.PutUint32
	u64 := binary.LittleEndian.PutUint64
	nan := float32(math.NaN())
	header := func(n int, v uint32) func(e *edit) { return func(e *edit) { e.field(n, v) } }
	theta := func(v float32) func(e *edit) { return header(fieldTheta, math.Float32bits(v)) }
	type damage struct {
		name   string
		base   string
		do     func(e *edit)
		target any    // error value, *HeaderError or *RecordError
		place  string // field or role
	}
	head, record := &HeaderError{}, &RecordError{}
	cases := []damage{
		{"needle 2", "tiny", header(0, tagNeedle2), ErrNeedle2, ""},
		{"other tag", "tiny", header(0, 0x12345678), ErrNotArchive, ""},
		{"big endian tag", "tiny", header(0, 0x842ae105), ErrNotArchive, ""},
		{"no records", "tiny", header(1, 0), head, "num_tensors"},
		{"a record fewer", "tiny", header(1, 190), head, "num_tensors"},
		{"a record more", "tiny", header(1, 192), head, "num_tensors"},
		{"no heads' records", "tiny", header(1, 184), record, "embedding"}, // the first blob is too far off
		{"16385 records", "tiny", header(1, 16385), head, "num_tensors"},
		{"2^32-1 records", "tiny", header(1, math.MaxUint32), head, "num_tensors"},
		{"codebooks of 27", "tiny", header(2, 27), head, "codebook_len"},
		{"no codebooks", "tiny", header(2, 0), head, "codebook_len"},
		{"kv_window 9", "tiny", header(3, 9), head, "kv_window"},
		{"kv_window huge", "tiny", header(3, math.MaxUint32), head, "kv_window"},
		{"kv_bits 2", "tiny", header(4, 2), ErrKVBits, ""},
		{"kv_bits 3", "tiny", header(4, 3), ErrKVBits, ""},
		{"kv_bits 4", "tiny", header(4, 4), ErrKVBits, ""},
		{"kv_bits 0", "tiny", header(4, 0), head, "kv_bits"},
		{"kv_bits 2^31", "tiny", header(4, 1<<31), head, "kv_bits"},
		{"kv_bits 7", "tiny", header(4, 7), head, "kv_bits"},
		{"vocab 0", "tiny", header(5, 0), head, "vocab"},
		{"vocab of one more", "tiny", header(5, 513), record, "embedding"},
		{"out_vocab above vocab", "tiny", header(6, 513), head, "out_vocab"},
		{"d_model 0", "tiny", header(7, 0), head, "d_model"},
		{"d_model 127", "tiny", header(7, 127), head, "engram_sub_dim"},
		{"d_model 2^21", "tiny", header(7, 1<<21), head, "d_model"},
		{"out_vocab under the fixed tokens", "tiny", header(6, 15), head, "out_vocab"},
		{"no heads", "tiny", header(8, 0), head, "num_heads"},
		{"heads not shared evenly", "tiny", header(9, 3), head, "num_heads"},
		{"no kv heads", "tiny", header(9, 0), head, "num_kv_heads"},
		{"no layers", "tiny", header(10, 0), head, "num_layers"},
		{"65 layers", "tiny", header(10, 65), head, "num_layers"},
		{"7 layers", "tiny", header(10, 7), head, "num_tensors"},
		{"5 layers", "tiny", header(10, 5), head, "global_mask_lo"},
		{"2^40 query rows", "tiny", func(e *edit) { e.field(8, 1<<20); e.field(11, 1<<20) }, head, "num_heads"},
		{"2^40 value rows", "tiny", func(e *edit) { e.field(8, 1<<20); e.field(12, 1<<20) }, head, "num_heads"},
		{"odd head size", "tiny", header(11, 15), head, "qk_head_dim"},
		{"v_head_dim 0", "tiny", header(12, 0), head, "v_head_dim"},
		{"max_seq_len 0", "tiny", header(13, 0), head, "max_seq_len"},
		{"max_seq_len 2^31", "tiny", header(13, 1<<31), head, "max_seq_len"},
		{"hada_n not the power", "tiny", header(14, 256), head, "hada_n"},
		{"lanes 0", "tiny", header(15, 0), head, "mhc_lanes"},
		{"lanes 5", "tiny", header(15, 5), record, "lanes.b_pre"},
		{"window under the taps", "tiny", header(16, 2), head, "sliding_window"},
		{"mask beyond the layers", "tiny", header(17, 1<<6), head, "global_mask_lo"},
		{"high mask", "tiny", header(18, 1), head, "global_mask_hi"},
		{"top of the mask", "tiny", header(18, 1<<31), head, "global_mask_hi"},
		{"taps gone", "tiny", header(19, 0), head, "num_tensors"},
		{"taps 4", "tiny", header(19, 4), record, "layers.0.q_taps"},
		{"taps 65", "tiny", header(19, 65), head, "qkv_conv_taps"},
		{"sliding_window 2^21", "tiny", header(16, 1<<21), head, "sliding_window"},
		{"slots 0", "tiny", header(20, 0), head, "engram_slots"},
		{"slots 2^31", "tiny", header(20, 1<<31), head, "engram_slots"},
		{"slots of all tables 2^31", "tiny", header(20, 1<<30), head, "engram_slots"},
		{"seed heads huge", "tiny", header(25, 1<<21), head, "engram_seed_heads"},
		{"order 65", "tiny", header(28, 65), head, "engram_orders[1]"},
		{"sites equal to none", "tiny", header(31, 0), head, "engram_sites[0]"},
		{"last site twice", "tiny", func(e *edit) { e.field(32, 5); e.field(33, 5) }, head, "engram_sites[1]"},
		{"sub_dim 32", "tiny", header(21, 32), head, "engram_sub_dim"},
		{"tables 3", "tiny", header(22, 3), head, "num_engram_tables"},
		{"engram taps 5", "tiny", header(23, 5), head, "engram_conv_taps"},
		{"dilation 2", "tiny", header(24, 2), head, "engram_conv_dilation"},
		{"5 orders", "tiny", header(26, 5), head, "num_engram_orders"},
		{"no orders", "tiny", header(26, 0), head, "engram_orders[0]"},
		{"sites without orders", "tiny", func(e *edit) { e.field(26, 0); e.field(27, 0); e.field(28, 0) }, head, "num_engram_orders"},
		{"order 0", "tiny", header(27, 0), head, "engram_orders[0]"},
		{"unused order set", "tiny", header(29, 4), head, "engram_orders[2]"},
		{"17 sites", "tiny", header(31, 17), head, "num_engram_sites"},
		{"site beyond the layers", "tiny", header(33, 6), head, "engram_sites[1]"},
		{"sites not ascending", "tiny", header(33, 1), head, "engram_sites[1]"},
		{"unused site set", "tiny", header(40, 1), head, "engram_sites[8]"},
		{"theta NaN", "tiny", theta(nan), head, "rope_theta"},
		{"theta negative", "tiny", theta(-1e5), head, "rope_theta"},
		{"theta 1", "tiny", theta(1), head, "rope_theta"},
		{"theta infinite", "tiny", theta(float32(math.Inf(1))), head, "rope_theta"},
		{"codebook NaN", "tiny", func(e *edit) { u32(e.data[headerSize+4:], math.Float32bits(nan)) }, head, "codebook[1]"},
		{"codebook infinite", "tiny", func(e *edit) { u32(e.data[headerSize+4*4:], math.Float32bits(float32(math.Inf(-1)))) }, head, "codebook[4]"},
		{"codebook point twice", "tiny", func(e *edit) { copy(e.data[headerSize+4*13:], e.data[headerSize+4*12:headerSize+4*13]) }, head, "codebook[13]"},
		{"codebook descending", "tiny", func(e *edit) { u32(e.data[headerSize+4*5:], math.Float32bits(-0.9)) }, head, "codebook[5]"},
		{"codebook beyond the sphere", "tiny", func(e *edit) { u32(e.data[headerSize+4*27:], math.Float32bits(1.5)) }, head, "codebook[27]"},
		{"type", "tiny", func(e *edit) { e.entry("layers.0.norm_in")[0] = 2 }, record, "layers.0.norm_in"},
		{"unknown type", "tiny", func(e *edit) { e.entry("final_norm")[0] = 9 }, record, "final_norm"},
		{"dimensions", "tiny", func(e *edit) { e.entry("layers.1.q_proj")[1] = 3 }, record, "layers.1.q_proj"},
		{"200 dimensions", "tiny", func(e *edit) { e.entry("layers.1.q_proj")[1] = 200 }, record, "layers.1.q_proj"},
		{"type 0", "tiny", func(e *edit) { e.entry("embedding")[0] = 0 }, record, "embedding"},
		{"CQ as RAW", "tiny", func(e *edit) { e.entry("embedding")[0] = 4 }, record, "embedding"},
		{"no dimensions", "tiny", func(e *edit) { e.entry("final_norm")[1] = 0 }, record, "final_norm"},
		{"transposed", "tiny", func(e *edit) { e.transpose("layers.0.w1a"); e.transpose("lanes.b_pre") }, record, "lanes.b_pre"},
		{"unused dimension", "tiny", func(e *edit) { u32(e.entry("final_norm")[8:], 2) }, record, "final_norm"},
		{"high byte of the padding", "tiny", func(e *edit) { e.entry("layers.1.k_proj")[3] = 0x80 }, record, "layers.1.k_proj"},
		{"padding", "tiny", func(e *edit) { e.entry("layers.1.k_proj")[2] = 1 }, record, "layers.1.k_proj"},
		{"shape", "tiny", func(e *edit) { u32(e.entry("layers.2.v_proj")[4:], 63) }, record, "layers.2.v_proj"},
		{"free shape 0", "tiny", func(e *edit) { u32(e.entry("layers.2.cond_v")[8:], 0) }, record, "layers.2.cond_v"},
		{"free shape huge", "tiny", func(e *edit) { u32(e.entry("layers.2.cond_v")[8:], math.MaxUint32) }, record, "layers.2.cond_v"},
		{"offset unaligned", "tiny", func(e *edit) { u64(e.entry("hada_p1")[20:], uint64(e.a.Lookup("hada_p1").Offset+4)) }, record, "hada_p1"},
		{"offset beyond the end", "tiny", func(e *edit) { u64(e.entry("hada_p1")[20:], 1<<40) }, record, "hada_p1"},
		{"offset 2^64-64", "tiny", func(e *edit) { u64(e.entry("hada_p1")[20:], math.MaxUint64-63) }, record, "hada_p1"},
		{"offset 0", "tiny", func(e *edit) { u64(e.entry("embedding")[20:], 0) }, record, "embedding"},
		{"offset of the record before", "tiny", func(e *edit) { copy(e.entry("layers.0.d2")[20:28], e.entry("layers.0.d1")[20:28]) }, record, "layers.0.d2"},
		{"overlap", "tiny", func(e *edit) { u64(e.entry("hada_p1")[20:], uint64(e.a.Lookup("hada_p1").Offset-64)) }, record, "hada_p1"},
		{"gap", "tiny", func(e *edit) { u64(e.entry("hada_p1")[20:], uint64(e.a.Lookup("hada_p1").Offset+64)) }, record, "hada_p1"},
		{"length", "tiny", func(e *edit) { u64(e.entry("layers.3.d1")[28:], 255) }, record, "layers.3.d1"},
		{"length 2^64-1", "tiny", func(e *edit) { u64(e.entry("layers.3.d1")[28:], math.MaxUint64) }, record, "layers.3.d1"},
		{"group 64", "tiny", func(e *edit) { u32(e.entry("layers.3.out_proj")[36:], 64) }, record, "layers.3.out_proj"},
		{"width 0", "tiny", func(e *edit) { u32(e.entry("layers.3.out_proj")[40:], 0) }, record, "layers.3.out_proj"},
		{"width 6", "tiny", func(e *edit) { u32(e.entry("layers.3.out_proj")[40:], 6) }, record, "layers.3.out_proj"},
		{"width 3 of a 2-bit blob", "tiny", func(e *edit) { u32(e.entry("layers.3.out_proj")[40:], 3) }, record, "layers.3.out_proj"},
		{"width 6 of its own length", "tiny", func(e *edit) {
			i := e.a.Lookup("layers.3.out_proj").Index
			e.rebuild(func(parts []part) []part {
				parts[i].record.Bits = 6
				parts[i].blob = make([]byte, parts[i].record.blobSize())
				return parts
			})
		}, record, "layers.3.out_proj"},
		{"64 bytes of gap", "tiny", func(e *edit) {
			e.data = slices.Insert(e.data, int(e.a.Lookup("hada_p1").Offset), make([]byte, 64)...)
			for _, r := range e.a.records[e.a.Lookup("hada_p1").Index:] {
				u64(e.entry(r.Role)[20:], uint64(r.Offset+64))
			}
		}, record, "hada_p1"},
		{"group of an FP16 record", "tiny", func(e *edit) { u32(e.entry("layers.3.d2")[36:], 128) }, record, "layers.3.d2"},
		{"NaN in a norm", "tiny", func(e *edit) { e.put16("layers.4.post_norm", 7, 0x7e00) }, record, "layers.4.post_norm"},
		{"infinite gate", "tiny", func(e *edit) { e.put16("layers.4.attn_gate", 0, 0xfc00) }, record, "layers.4.attn_gate"},
		{"NaN in the last group norm", "tiny", func(e *edit) {
			r := e.a.Lookup("layers.5.k_proj")
			e.put16("layers.5.k_proj", int(r.Size)/2-1, 0x7c01)
		}, record, "layers.5.k_proj"},
		{"NaN in a table's norm", "tiny", func(e *edit) {
			r := e.a.Lookup("engrams.0.tables")
			e.put16("engrams.0.tables", (int(r.Size)-len(r.CQ().Norms))/2+3, 0xffff)
		}, record, "engrams.0.tables"},
		{"permutation with a duplicate", "tiny", func(e *edit) { e.put32("hada_p1", 3, e.a.Lookup("hada_p1").Float32s()[4]) }, record, "hada_p1"},
		{"permutation out of range", "tiny", func(e *edit) { e.put32("hada_p2", 0, 128) }, record, "hada_p2"},
		{"permutation with a fraction", "tiny", func(e *edit) { e.put32("hada_p2", 0, 0.5) }, record, "hada_p2"},
		{"permutation with NaN", "tiny", func(e *edit) { e.put32("hada_p2", 9, nan) }, record, "hada_p2"},
		{"manifest code 4", "tiny", func(e *edit) { e.put16("heads.manifest", 0, 0x4400) }, record, "heads.manifest"},
		{"manifest code 0", "tiny", func(e *edit) { e.put16("heads.manifest", 0, 0) }, record, "heads.manifest"},
		{"manifest descending", "mixed", func(e *edit) { e.put16("heads.manifest", 1, 0x3c00) }, record, "heads.manifest"},
		{"manifest code 1.5", "mixed", func(e *edit) { e.put16("heads.manifest", 0, 0x3e00) }, record, "heads.manifest"},
		{"manifest code -1", "mixed", func(e *edit) { e.put16("heads.manifest", 0, 0xbc00) }, record, "heads.manifest"},
		{"manifest code NaN", "mixed", func(e *edit) { e.put16("heads.manifest", 0, 0x7e00) }, record, "heads.manifest"},
		{"manifest code infinite", "mixed", func(e *edit) { e.put16("heads.manifest", 2, 0x7c00) }, record, "heads.manifest"},
		{"manifest typed", "mixed", func(e *edit) { e.entry("heads.manifest")[0] = 4 }, record, "heads.manifest"},
		{"another head than the manifest's", "tiny", func(e *edit) { e.put16("heads.manifest", 0, 0x4200) }, record, "heads.router.calibration"},
		{"gain transposed", "tiny", func(e *edit) { e.transpose("heads.confidence.gain") }, record, "heads.confidence.gain"},
		{"row_bias transposed", "tiny", func(e *edit) { e.transpose("heads.confidence.row_bias") }, record, "heads.confidence.row_bias"},
		{"head bias of two dimensions", "tiny", func(e *edit) { e.entry("heads.confidence.bias")[1] = 2; u32(e.entry("heads.confidence.bias")[8:], 1) }, record, "heads.confidence.bias"},
		{"head matrix of one dimension", "tiny", func(e *edit) { e.entry("heads.confidence.query")[1] = 1 }, record, "heads.confidence.query"},
		{"head matrix in FP16", "tiny", func(e *edit) { e.entry("heads.confidence.query")[0] = 1 }, record, "heads.confidence.query"},
		{"NaN in a head's gain", "mixed", func(e *edit) { e.put16("heads.embedding.gain", 2, 0x7d00) }, record, "heads.embedding.gain"},
		{"head shape", "mixed", func(e *edit) { u32(e.entry("heads.router.gain")[4:], 4) }, record, "heads.router.gain"},
		{"router without calibration", "mixed", func(e *edit) { e.entry("heads.router.calibration")[0] = 4 }, record, "heads.router.calibration"},
		{"gap byte", "tiny", func(e *edit) {
			for i := range e.a.records[1:] {
				if end := e.a.records[i].Offset + e.a.records[i].Size; end < e.a.records[i+1].Offset {
					e.data[end] = 1
					return
				}
			}
			e.t.Fatal("no gap in the archive")
		}, record, ""},
		{"crumb 2", "mixed", func(e *edit) {
			for _, r := range e.a.records {
				if r.Bits == TernaryBits {
					e.data[r.Offset+5] = 2
					return
				}
			}
			e.t.Fatal("no ternary record")
		}, record, ""},
		{"tokenizer typed", "tiny", func(e *edit) { e.entry("tokenizer")[0] = 1 }, record, "tokenizer"},
		{"tokenizer shorter", "tiny", func(e *edit) { u64(e.entry("tokenizer")[28:], 10) }, record, "tokenizer"},
		{"tokenizer longer", "tiny", func(e *edit) { u64(e.entry("tokenizer")[28:], 1<<20) }, ErrNotArchive, ""},
		{"tokenizer of 2^64-1 bytes", "tiny", func(e *edit) { u64(e.entry("tokenizer")[28:], math.MaxUint64) }, record, "tokenizer"},
		{"tokenizer with a shape", "tiny", func(e *edit) { e.entry("tokenizer")[1] = 1 }, record, "tokenizer"},
		{"tokenizer with a width", "tiny", func(e *edit) { u32(e.entry("tokenizer")[40:], 4) }, record, "tokenizer"},
		{"no tokenizer", "tiny", func(e *edit) { e.without("tokenizer") }, head, "num_tensors"},
		{"tokenizer empty", "tiny", func(e *edit) { e.replace("tokenizer", nil) }, record, "tokenizer"},
		{"tokenizer first", "cq4", func(e *edit) { e.swap("embedding", "tokenizer") }, record, "embedding"},
		{"two records exchanged", "cq4", func(e *edit) { e.swap("layers.0.norm_in", "layers.0.q_proj") }, record, "layers.0.norm_in"},
		{"a byte at the end", "tiny", func(e *edit) { e.data = append(e.data, 0) }, record, "tokenizer"},
		{"the last byte gone", "tiny", func(e *edit) { e.data = e.data[:len(e.data)-1] }, ErrNotArchive, ""},
		{"text in the tag's place", "tiny", func(e *edit) { copy(e.data, "GGUF") }, ErrNotArchive, ""},
		{"conditioning rank of one matrix", "tiny", func(e *edit) { e.reshape("layers.1.cond_u", 7, 128) }, record, "layers.1.cond_u"},
		{"conditioning rank of one block", "tiny", func(e *edit) {
			e.reshape("layers.1.cond_v", 128, 7)
			e.reshape("layers.1.cond_u", 7, 128)
		}, record, "layers.1.cond_v"},
		{"a confidence head of two outputs", "tiny", func(e *edit) {
			e.resize("heads.confidence.proj", 2)
			e.reshape("heads.confidence.bias", 2)
		}, record, "heads.confidence.proj"},
	}
	for _, c := range cases {
		e := newEdit(t, c.base)
		c.do(e)
		_, err := OpenBytes(e.data)
		if err == nil {
			t.Errorf("%s: opens", c.name)
			continue
		}
		if problem := misreported(err, c.target, c.place); problem != "" {
			t.Errorf("%s: %s: %v", c.name, problem, err)
		}
	}
	t.Logf("%d damages", len(cases))
}

// misreported says how err fails to be what was expected, or nothing.
func misreported(err error, target any, place string) string {
	text := err.Error()
	if strings.Contains(text, "\n") || strings.HasSuffix(text, ".") {
		return "not one plain sentence"
	}
	switch target := target.(type) {
	case nil:
		return ""
	case *HeaderError:
		if !errors.As(err, &target) || target.Field != place {
			return fmt.Sprintf("not a header error at %s", place)
		}
	case *RecordError:
		if !errors.As(err, &target) || place != "" && target.Role != place {
			return fmt.Sprintf("not a record error at %s", place)
		}
		if target.Expected == "" || target.Found == "" {
			return "says not what was expected and found"
		}
	case error:
		if !errors.Is(err, target) {
			return fmt.Sprintf("not %q", target)
		}
	}
	return ""
}

// TestMisreportedSees is the negative control of the table's judge.
func TestMisreportedSees(t *testing.T) {
	err := error(&RecordError{3, "layers.0.norm_in", "FP16", "FP32"})
	for _, problem := range []string{
		misreported(err, &HeaderError{}, "vocab"), misreported(err, &RecordError{}, "embedding"), misreported(err, ErrNeedle2, ""),
		misreported(fmt.Errorf("two\nlines"), nil, ""),
	} {
		if problem == "" {
			t.Error("a wrong error passes")
		}
	}
	if problem := misreported(err, &RecordError{}, "layers.0.norm_in"); problem != "" {
		t.Error(problem)
	}
}

// TestSpeechArchive appends an audio manifest and more records to archives
// without and with heads.
func TestSpeechArchive(t *testing.T) {
	manifest := make([]byte, 13*4)
	binary.LittleEndian.PutUint32(manifest, math.Float32bits(speechManifest))
	for _, name := range []string{"cq4", "tiny", "mixed"} {
		for _, more := range []int{0, 6, 300} {
			e := newEdit(t, name)
			e.rebuild(func(parts []part) []part {
				tokenizer := parts[len(parts)-1]
				parts = append(parts[:len(parts)-1], part{Record{DType: FP32Record, Shape: []int{13}}, manifest})
				for range more {
					parts = append(parts, part{Record{DType: FP16Record, Shape: []int{1}}, []byte{0, 0x3c}})
				}
				return append(parts, tokenizer)
			})
			if _, err := OpenBytes(e.data); !errors.Is(err, ErrSpeech) {
				t.Errorf("%s and %d records: error %v, want %v", name, more, err, ErrSpeech)
			}
			// Another first value is no speech model but a malformed archive.
			e.data[e.a.records[len(e.a.records)-2-more].Offset] ^= 1
			if _, err := OpenBytes(e.data); err == nil || errors.Is(err, ErrSpeech) {
				t.Errorf("%s and %d records, another manifest: error %v", name, more, err)
			}
		}
	}
}

// TestOlderHeadLayout rewrites a head with FP16 matrices and probes of three
// dimensions.
func TestOlderHeadLayout(t *testing.T) {
	a := openCase(t, "tiny")
	var parts []part
	for _, r := range a.records {
		p := part{*r, r.blob}
		if r.DType == CQRecord && strings.HasPrefix(r.Role, "heads.") {
			p.record.DType, p.record.Group, p.record.Bits = FP16Record, 0, 0
			if strings.HasSuffix(r.Role, "probes") {
				k := a.Lookup("heads.confidence.gain").Shape[1]
				p.record.Shape = []int{r.Shape[0] / k, k, r.Shape[1]}
			}
			p.blob = make([]byte, 2*r.Shape[0]*r.Shape[1])
		}
		parts = append(parts, p)
	}
	b, err := OpenBytes(rewrite(t, a, parts))
	if err != nil {
		t.Fatal(err)
	}
	probes := b.Lookup("heads.confidence.probes")
	if probes.DType != FP16Record {
		t.Errorf("probes are %s", probes.DType)
	}
	var out writer
	if err := b.Slice(&out, 3); err != nil {
		t.Fatal(err)
	}
	c, err := OpenBytes(out)
	if err != nil {
		t.Fatal(err)
	}
	row := len(probes.Bytes()) / probes.Shape[0]
	var want []byte
	for _, r := range []int{0, 1, 3, 6} { // the embedding's and those of blocks 0, 2 and 5
		want = append(want, probes.Bytes()[r*row:(r+1)*row]...)
	}
	if got := c.Lookup("heads.confidence.probes"); !bytes.Equal(got.Bytes(), want) {
		t.Error("the slice has other probe rows")
	}
	// In this layout the probes have three dimensions.
	entry := readEntry(out[headerSize+4*codebookLen+recordSize*c.Lookup("heads.confidence.probes").Index:])
	flat := out[headerSize+4*codebookLen+recordSize*c.Lookup("heads.confidence.probes").Index:]
	flat[1] = 2
	binary.LittleEndian.PutUint32(flat[4:], entry.shape[0]*entry.shape[1])
	binary.LittleEndian.PutUint32(flat[8:], entry.shape[2])
	binary.LittleEndian.PutUint32(flat[12:], 0)
	var wrong *RecordError
	if _, err := OpenBytes(out); !errors.As(err, &wrong) || wrong.Role != "heads.confidence.probes" {
		t.Errorf("flat FP16 probes: error %v", err)
	}
}

// TestEveryBitFlip flips each bit of header, codebooks and directory of the
// tiny archive. It is refused with an error that names the place, or opens; no
// flip makes Open allocate for more than the file holds.
func TestEveryBitFlip(t *testing.T) {
	data := readCase(t, "tiny", "model.cact")
	a := openCase(t, "tiny")
	directory := headerSize + 4*codebookLen
	end := directory + recordSize*a.Len()
	opened := map[string]int{}
	refused := 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for bit := range 8 * end {
		data[bit/8] ^= 1 << (bit % 8)
		_, err := OpenBytes(data)
		data[bit/8] ^= 1 << (bit % 8)
		at := bit / 8
		if err == nil {
			opened[flippedPlace(at)]++
			continue
		}
		refused++
		if problem := misplaced(err, at, a); problem != "" {
			t.Errorf("bit %d of byte %d (%s): %s: %v", bit%8, at, flippedPlace(at), problem, err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(8*end); each > 150<<10 {
		t.Errorf("%d bytes allocated on average", each)
	}
	t.Logf("%d refused; opened by place: %v", refused, opened)
	for place := range opened {
		if !slices.Contains([]string{"kv_window", "out_vocab", "max_seq_len", "sliding_window", "global_mask_lo",
			"engram_seed_heads", "engram_orders[0]", "engram_sites[0]", "engram_sites[1]", "rope_theta", "codebook", "shape"}, place) {
			t.Errorf("an archive with another %s opens", place)
		}
	}
}

// flippedPlace names the header field or the part of a directory record.
func flippedPlace(at int) string {
	switch {
	case at < headerSize:
		return fieldNames[at/4]
	case at < headerSize+4*codebookLen:
		return "codebook"
	}
	switch at = (at - headerSize - 4*codebookLen) % recordSize; {
	case at < 1:
		return "dtype"
	case at < 2:
		return "ndim"
	case at < 4:
		return "pad"
	case at < 20:
		return "shape"
	case at < 28:
		return "offset"
	case at < 36:
		return "size"
	case at < 40:
		return "group"
	}
	return "bits"
}

// misplaced says why err is no error about the byte at, or nothing. A header
// field may be at odds with any record; a head's record with another of the
// same head.
func misplaced(err error, at int, a *Archive) string {
	var header *HeaderError
	var record *RecordError
	directory := headerSize + 4*codebookLen
	switch {
	case strings.Contains(err.Error(), "\n"):
		return "more than one line"
	case at < directory:
		if !errors.As(err, &header) && !errors.As(err, &record) && !errors.Is(err, ErrNotArchive) &&
			!errors.Is(err, ErrNeedle2) && !errors.Is(err, ErrKVBits) {
			return "of no known type"
		}
		return ""
	case errors.Is(err, ErrNotArchive): // the tokenizer seems to end behind the file
		if (at-directory)/recordSize == a.Len()-1 {
			return ""
		}
	case errors.As(err, &record):
		flipped := a.Record((at - directory) / recordSize)
		head := func(role string) string { return role[:max(0, strings.LastIndexByte(role, '.'))] }
		if record.Record == flipped.Index ||
			strings.HasPrefix(flipped.Role, "heads.") && head(record.Role) == head(flipped.Role) {
			return ""
		}
	}
	return "about another place"
}

// TestMisplacedSees is the negative control.
func TestMisplacedSees(t *testing.T) {
	a := openCase(t, "tiny")
	for at, err := range map[int]error{
		0:                                   errors.New("some error"),
		headerSize + 4*codebookLen:          &RecordError{Record: 1, Role: "layers.0.norm_in"},
		headerSize + 4*codebookLen + 3*44:   &HeaderError{Field: "vocab"},
		headerSize + 4*codebookLen + 100*44: fmt.Errorf("cut: %w", ErrNotArchive),
	} {
		if misplaced(err, at, a) == "" {
			t.Errorf("%v passes for byte %d", err, at)
		}
	}
}

// TestHostileHeaderAllocatesLittle opens files that claim as much as they can.
func TestHostileHeaderAllocatesLittle(t *testing.T) {
	data := slices.Clone(readCase(t, "tiny", "model.cact")[:headerSize+4*codebookLen])
	for field, v := range map[int]uint32{fieldRecords: maxRecords, fieldKVWindow: maxContext, fieldVocab: maxDimension,
		fieldWidth: maxDimension, fieldHadaSize: maxDimension, fieldHeads: 2047, fieldKVHeads: 2047, fieldLayers: 64,
		fieldQKDim: maxDimension, fieldVDim: maxDimension, fieldMaxSeqLen: maxContext, fieldSubDim: maxDimension / 2} {
		binary.LittleEndian.PutUint32(data[4*field:], v)
	}
	data = append(data, make([]byte, maxRecords*recordSize)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := OpenBytes(data)
	runtime.ReadMemStats(&after)
	var wrong *HeaderError
	if !errors.As(err, &wrong) || wrong.Field != "num_tensors" {
		t.Errorf("error %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

func rewrite(t *testing.T, a *Archive, parts []part) []byte {
	t.Helper()
	header := slices.Clone(a.data[:headerSize+4*codebookLen])
	binary.LittleEndian.PutUint32(header[4*fieldRecords:], uint32(len(parts)))
	var out writer
	if err := a.write(&out, header, parts); err != nil {
		t.Fatal(err)
	}
	return out
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}

// FuzzOpen fuzzes what stands before the first blob of a small archive, and one
// byte of a blob: inputs of whole archives would be too long to mutate well.
func FuzzOpen(f *testing.F) {
	whole := readCase(f, "tiny", "slice-2.cact")
	a, err := OpenBytes(whole)
	if err != nil {
		f.Fatal(err)
	}
	front := whole[:a.Record(0).Offset]
	f.Add(slices.Clone(front), uint32(0), byte(0))
	f.Add(slices.Clone(front[:200]), uint32(40), byte(7))
	f.Add([]byte("text"), uint32(0), byte(0))
	for _, role := range []string{"final_norm", "hada_p1", "heads.manifest", "embedding", "tokenizer"} {
		f.Add(slices.Clone(front), uint32(a.Lookup(role).Offset+1), byte(0x7c))
	}
	f.Fuzz(func(t *testing.T, front []byte, at uint32, flip byte) {
		data := slices.Clone(whole)
		copy(data, front)
		data[int(at%uint32(len(data)))] ^= flip
		opensSoundly(t, data)
		opensSoundly(t, front)
	})
}

// opensSoundly wants an error of one line, or an archive that keeps its
// promises.
func opensSoundly(t *testing.T, data []byte) {
	a, err := OpenBytes(data)
	if err != nil {
		if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "cact: ") {
			t.Errorf("error %q", err)
		}
		return
	}
	for i := range a.Len() {
		r := a.Record(i)
		if r.Offset+r.Size > a.Size() || a.Lookup(r.Role) != r {
			t.Errorf("record %d (%s) is not as promised", i, r.Role)
		}
		for _, v := range append(r.Float32s(), halves(r.CQ().Norms)...) {
			if v-v != 0 {
				t.Errorf("record %d (%s) holds %g", i, r.Role, v)
			}
		}
	}
	if w := a.Geometry().Window(); w < 1 || w > maxContext {
		t.Errorf("window %d", w)
	}
	if a.Geometry().Layers < 2 {
		return
	}
	var out writer
	if err := a.Slice(&out, 2); err != nil {
		t.Errorf("an archive that opens does not slice: %v", err)
	}
	if _, err := OpenBytes(out); err != nil {
		t.Errorf("its slice does not open: %v", err)
	}
}
