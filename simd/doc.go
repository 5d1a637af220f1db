// Package simd holds the numeric kernels: vectors in, vectors or a number out,
// no knowledge of models or files.
//
// The generic Go kernels here are the definition of the engine's arithmetic.
// Three rules make every CPU give the same bits:
//
//   - Integer dot products are exact; their callers guarantee that no
//     intermediate sum leaves int32.
//   - A float reduction runs in Lanes partial sums (element i goes to lane
//     i mod Lanes, in ascending order) that are then added as a tree:
//     lane j += lane j+8, then j+4, j+2, j+1. A vector unit of 4, 8 or 16
//     floats can follow this order exactly.
//   - No multiply and add may be fused. Go fuses x*y+z on several
//     architectures unless the product is converted explicitly, so every
//     product that is added to something is written float32(x*y).
//
// Kernels return nothing but their result, never allocate and never panic for
// slices of the documented lengths. Where two slices are given they have the
// same length unless said otherwise.
package simd
