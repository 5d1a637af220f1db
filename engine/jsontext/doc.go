// Package jsontext reads and writes JSON as it is written: unlike encoding/json it keeps the order of keys,
// duplicate keys and the text of numbers, and says where a text stops being JSON.
//
// Everything but a Scanner, which one goroutine uses at a time, is safe for concurrent use.
package jsontext
