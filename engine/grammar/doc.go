// Package grammar compiles JSON Schemas and tool sets to byte automata and says, for a vocabulary, which tokens
// may follow a text so that it stays the beginning of a valid one.
//
// A [Grammar] is compiled once and is read-only; a [Matcher] follows one text. The way from schema to mask:
//
//	json.go        the schema as a tree that keeps order, number text and places
//	schema.go      its keywords (JSON Schema 2020-12), each subschema once
//	values.go, complement.go
//	               sets of JSON values as unions of shapes: and, or, exactly one, not
//	takes.go, valid.go
//	               whether a given value is in a set, or satisfies a schema
//	regex.go, dfa.go, pattern.go, format.go
//	               regular expressions with intersection and complement, ECMA patterns, formats
//	number.go, text.go
//	               sets of numbers and of strings: whether a beginning can still be finished
//	program.go     arrays and objects resolved to nodes, with what can't be satisfied taken out
//	thread.go, step.go, unit.go, distinct.go
//	               one reading of the text so far, and what a byte makes of it
//	vocabulary.go, mask.go
//	               the vocabulary as a trie, and the legal tokens at a state
//	compile.go     the entrance: schemas, tool sets, choices
//
// Two rules hold everywhere: a state that is kept can be finished, so no text runs into a dead end; and what a
// schema says that can't be enforced is refused or reported when it is compiled, never skipped silently.
package grammar
