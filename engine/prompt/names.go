package prompt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// snakeCase converts a name to the form the model was trained on. Words are what non-alphanumerics
// separate; a capital begins one too after a lower-case letter or a digit, or between a capital and a
// lower-case letter. Names with a byte beyond ASCII, or without letters and digits, are left alone.
//
// Converted names never hold two underscores in a row, so a suffix such as __2 can't meet another name.
func snakeCase(name string) string {
	out := make([]byte, 0, len(name)+4)
	separated := false
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= utf8.RuneSelf {
			return name
		}
		if !isLower(c) && !isUpper(c) && !isDigit(c) {
			separated = true
			continue
		}
		if len(out) > 0 && (separated || beginsWord(name, i)) {
			out = append(out, '_')
		}
		separated = false
		if isUpper(c) {
			c += 'a' - 'A'
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return name
	}
	return string(out)
}

// beginsWord says whether the letter at i, which is not the first, begins a word by its case.
func beginsWord(name string, i int) bool {
	if !isUpper(name[i]) {
		return false
	}
	before := name[i-1]
	return isLower(before) || isDigit(before) ||
		isUpper(before) && i+1 < len(name) && isLower(name[i+1])
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// toolNames gives each tool's name its form on the wire. Names that meet are all numbered, in the byte
// order of the originals.
func toolNames(names []string) map[string]string {
	distinct := slices.Compact(slices.Sorted(slices.Values(names)))
	count := map[string]int{}
	for _, name := range distinct {
		count[snakeCase(name)]++
	}
	wire, number := map[string]string{}, map[string]int{}
	for _, name := range distinct {
		w := snakeCase(name)
		if count[w] > 1 {
			number[w]++
			w = fmt.Sprintf("%s__%d", w, number[w])
		}
		wire[name] = w
	}
	return wire
}

// propertyNames gives the properties of one object their form on the wire, in order. The first of those
// that meet keeps the name, later ones are numbered from 2.
func propertyNames(names []string) map[string]string {
	wire, count := make(map[string]string, len(names)), map[string]int{}
	for _, name := range names {
		w := snakeCase(name)
		if count[w]++; count[w] > 1 {
			w = fmt.Sprintf("%s__%d", w, count[w])
		}
		wire[name] = w
	}
	return wire
}

// typeNames maps the names of types in use to those of JSON Schema.
var typeNames = map[string]string{
	"string": "string", "char": "string", "character": "string", "any": "string",
	"boolean": "boolean", "bool": "boolean",
	"integer": "integer", "int": "integer", "long": "integer", "short": "integer", "byte": "integer",
	"biginteger": "integer",
	"number":     "number", "float": "number", "double": "number", "decimal": "number", "bigdecimal": "number",
	"array": "array", "list": "array", "arraylist": "array", "tuple": "array", "set": "array",
	"object": "object", "dict": "object", "dictionary": "object", "map": "object", "hashmap": "object",
	"null": "null", "none": "null",
}

// schemaType returns the JSON Schema type that a name stands for, in whatever case, with or without
// blanks, dashes and underscores, with or without type arguments. Other names are returned as they are.
func schemaType(name string) string {
	key := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r < utf8.RuneSelf && isBlank(byte(r)) {
			return -1
		}
		return r
	}, strings.ToLower(name))
	if strings.HasSuffix(key, "[]") {
		return "array"
	}
	if cut := strings.IndexAny(key, "<["); cut > 0 {
		key = key[:cut]
	}
	if t, ok := typeNames[key]; ok {
		return t
	}
	return name
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
