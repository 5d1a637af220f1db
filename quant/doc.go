// Package quant turns the archive's CQ records into products with int8
// activations, and hides how weights lie in memory.
//
// A CQ group is (codebook[code] * norm) @ H, with H the normalised
// Walsh-Hadamard matrix of 128 (the guide by the makers of the model, "CQ blob"). Because H is
// symmetric and its own inverse, x . w = norm * (H x) . codebook[code]: the
// activation is rotated once and the weights never. The rotation of int8
// activations is an exact int16, and centroids are integers, so a group's
// product is an exact int32. Per row the groups are added in ascending order in
// float32; that order, and nothing else, decides the bits of a product.
//
// A Matrix is the record's codes in tiles of 16 rows (simd.Tiles), copied when
// a model is built; a Table reads single rows where they lie in the file.
//
// Both forms of a product stand behind Product: the integer one that ships
// (Matrix) and the exact one for tests (Exact), which multiplies dequantised
// float32 weights.
package quant
