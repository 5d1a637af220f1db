// Package grammar compiles JSON Schemas and tool sets to byte automata and says, for a vocabulary, which tokens
// may follow a text so that it stays the beginning of a valid one.
//
// A [Grammar] is compiled once and is read-only; a [Matcher] follows one text. The way from schema to mask:
//
//	json.go        the schema as a tree that keeps order, number text and places
//	schema.go      its keywords (JSON Schema 2020-12), each subschema once
//	values.go      a set of JSON values as unions of shapes: and, or, not of schemas
//	object.go, array.go, number.go, text.go
//	               the shapes of each type: what they allow, and whether a beginning can still be finished
//	regex.go, dfa.go, pattern.go, format.go
//	               regular expressions with intersection and complement, ECMA patterns, formats
//	program.go     shapes resolved to nodes, with what can't be satisfied taken out
//	thread.go, step.go
//	               one reading of the text so far, and what a byte makes of it
//	vocabulary.go, mask.go
//	               the vocabulary as a trie, and the legal tokens at a state
//
// Two rules hold everywhere: a state that is kept can be finished, so no text runs into a dead end; and what a
// schema says that can't be enforced is refused or reported when it is compiled, never skipped silently.
package grammar
