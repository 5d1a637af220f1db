// Package model is the forward pass of Needle 3: tokens in, logits, hidden
// cells and head outputs out. It knows nothing of text or JSON.
//
// The pass is specified in the reference implementation (cactus-needle,
// needle/model/architecture.py): lanes.go has the hyper-connections between
// layers, attention.go the attention, over the int8 cache of kvcache.go,
// engram.go the n-gram memory, mlp.go the Hadamard MLP, heads.go the probe
// pools. session.go and line.go have what a sequence keeps, trail.go the rows that
// convolutions look back at, snapshot.go how all that is kept, forks.go several ways to
// go on side by side; pool.go has the goroutines, hook.go lets tests look into the pass,
// and weights.go builds it from an archive.
//
// A layer is what the archive calls a block. A block, here, is up to 32 tokens of
// a call; a region is one call of pool.run, in which goroutines share work.
//
// Blocks run through each layer in turn, step after step (forward.go). In a long
// one each goroutine takes chunks of tokens from one attention to the next; in a
// short one goroutines share each step, by tokens, heads or rows of a matrix; single.go
// is how two of them share one token.
//
// Logits do not depend on how tokens are split into calls, on the number of
// threads, on snapshots, on the kernels, or on whether a depth is chosen at run
// time or sliced into the file: every value is computed per token by the same
// operations in the same order.
package model
