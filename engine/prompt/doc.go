// Package prompt is the text side of the runtime contract: it writes what the model reads and reads
// back the calls it writes.
//
// ParseTools turns a caller's tools into the text T of the tools block (snake_case names, JSON Schema
// types, no insignificant whitespace) and remembers how to give calls back under the caller's names.
// SystemText makes S of a system text or an object of facts. Prefix, FirstTurn, LaterTurn and ToolTurn
// are the pieces on the wire; ParseCalls and PartialCalls read the list in the call region.
//
// Everything is pure and safe for concurrent use.
package prompt
