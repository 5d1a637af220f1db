package jsontext

import "strconv"

// Step leads from a value to one in it: by a property's name, or to an element.
type Step struct {
	Name  string
	Index int // of an element; negative where Name counts
}

// IsElement reports whether the step leads to an element of an array.
func (s Step) IsElement() bool { return s.Index >= 0 }

// Path leads from a value to one in it at any depth; empty: to the value itself.
type Path []Step

// To is the path on to a property. It shares nothing with other paths that go on.
func (p Path) To(name string) Path { return append(p[:len(p):len(p)], Step{name, -1}) }

// At is the path on to an element. It shares nothing with other paths that go on.
func (p Path) At(i int) Path { return append(p[:len(p):len(p)], Step{Index: i}) }

// String writes names separated by dots, and elements as [2].
func (p Path) String() string {
	var b []byte
	for i, s := range p {
		switch {
		case s.IsElement():
			b = append(strconv.AppendInt(append(b, '['), int64(s.Index), 10), ']')
		case i > 0:
			b = append(append(b, '.'), s.Name...)
		default:
			b = append(b, s.Name...)
		}
	}
	return string(b)
}
