// Package model is the forward pass of Needle 3: tokens in, logits, hidden
// cells and head outputs out. It knows nothing of text or JSON.
//
// The pass is specified in the reference implementation (cactus-needle,
// needle/model/architecture.py); each file here names the part it does:
// lanes.go the hyper-connections between blocks, attention.go the attention
// with its int8 KV cache, engram.go the n-gram memory, mlp.go the Hadamard
// MLP, heads.go the probe pools.
//
// Tokens run in blocks of up to 32 through each layer in turn, step after step
// (forward.go). In a long block each goroutine (pool.go) takes chunks of tokens
// from one attention to the next; in a short one goroutines share each step, by
// tokens, heads or rows of a matrix.
//
// Logits do not depend on how tokens are split into calls, on the number of
// threads, on snapshots, on the kernels, or on whether a depth is chosen at run
// time or sliced into the file: every value is computed per token by the same
// operations in the same order.
package model
