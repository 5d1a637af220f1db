// Package simd holds the numeric kernels: vectors in, vectors or a number out,
// no knowledge of models or files.
//
// The generic Go kernels here are the definition of the engine's arithmetic.
// Kernels is a table of them; All lists the tables that this build has, Choose
// picks one. Those in assembly (written by the program in the folder asm, which
// says how to add one) give the same bits, and the tests hold each to that.
//
// Some words: a group is 128 values of a matrix's row, which share a norm and a
// rotation; a tile is 16 rows of a group; tiles are narrow with 2 bits a weight,
// wide with 4. A tier is an instruction set that kernels exist for.
//
// Three rules make every CPU give the same bits:
//
//   - Integer dot products are exact: callers guarantee that results fit int32,
//     and sums on the way may wrap around.
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
// same length unless said otherwise; assembly does not look whether they do.
// Functions here and in Kernels are safe for concurrent use on disjoint
// destinations.
package simd
