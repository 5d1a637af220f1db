package engine

import (
	"bytes"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// cursor knows where in a list of calls the text so far ends. The text is the beginning of
// [{"name":"N","arguments":{...}},...] without blanks; the grammar sees to that.
type cursor struct {
	text  []byte
	open  []container
	tool  string // of the call
	value int    // where the scalar that is open began, or the last container; -1 for none

	inString, isKey, escaped, inScalar bool
}

// container is an array or object that is open.
type container struct {
	object bool
	key    string // of the member at hand
	wants  bool   // a value is next: behind a colon, or where an element may begin
	items  int    // elements that are finished
	begin  int    // where the element at hand begins
	last   string // the last finished element
	same   int    // how many of the last ones are equal
}

func newCursor() cursor { return cursor{value: -1} }

func (c *cursor) clone() cursor {
	d := *c
	d.text = append([]byte(nil), c.text...)
	d.open = append([]container(nil), c.open...)
	return d
}

func (c *cursor) top() *container {
	if len(c.open) == 0 {
		return &container{}
	}
	return &c.open[len(c.open)-1]
}

// write moves on by some bytes.
func (c *cursor) write(text []byte) {
	for _, b := range text {
		c.writeByte(b)
	}
}

func (c *cursor) writeByte(b byte) {
	at := len(c.text)
	c.text = append(c.text, b)
	if c.inString {
		c.writeInString(b)
		return
	}
	switch b {
	case '"':
		c.isKey = c.top().object && !c.top().wants
		c.inString = true
		c.begin(at)
	case '{', '[':
		c.begin(at)
		c.open = append(c.open, container{object: b == '{', wants: b == '[', begin: at + 1})
	case ':':
		c.top().wants = true
	case ',':
		c.endScalar(at)
		top := c.top()
		top.wants, top.begin = !top.object, at+1
	case '}', ']':
		c.endScalar(at)
		if len(c.open) > 0 {
			c.open = c.open[:len(c.open)-1]
		}
		c.finish(at + 1)
	default:
		if !c.inScalar {
			c.begin(at)
			c.inScalar = true
		}
	}
}

func (c *cursor) writeInString(b byte) {
	switch {
	case c.escaped:
		c.escaped = false
	case b == '\\':
		c.escaped = true
	case b == '"':
		c.inString = false
		if c.isKey {
			c.top().key = unquote(c.text[c.value:])
			return
		}
		c.finish(len(c.text))
	}
}

func unquote(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	v, err := jsontext.Parse(string(quoted))
	if err != nil {
		return ""
	}
	return v.Text
}

// begin notes that a key or a value begins.
func (c *cursor) begin(at int) {
	c.value = at
	c.top().wants = false
}

// endScalar ends a number or a literal, which has no mark of its own.
func (c *cursor) endScalar(at int) {
	if c.inScalar {
		c.inScalar = false
		c.finish(at)
	}
}

// finish notes that the value at hand has ended.
func (c *cursor) finish(end int) {
	top := c.top()
	if len(c.open) == 2 && top.object && top.key == "name" {
		c.tool = unquote(c.text[c.value:end])
	}
	if top.object || len(c.open) == 0 {
		return
	}
	item := string(c.text[top.begin:end])
	if top.items == 0 || item != top.last {
		top.last, top.same = item, 0
	}
	top.items++
	top.same++
}

// depth of the containers around a value of a call's arguments: list, call, arguments.
const argumentsDepth = 3

// inArguments reports whether the text ends inside the arguments of a call.
func (c *cursor) inArguments() bool {
	return len(c.open) >= argumentsDepth && c.open[1].key == "arguments"
}

// path leads to the value at hand in the arguments.
func (c *cursor) path() (p jsontext.Path) {
	for _, o := range c.open[argumentsDepth-1:] {
		if o.object {
			p = p.To(o.key)
		} else {
			p = p.At(o.items)
		}
	}
	return p
}

// inArgument reports whether the value of an argument is being written: it has begun and not ended. A number
// ends with the byte behind it.
func (c *cursor) inArgument() bool {
	if !c.inArguments() {
		return false
	}
	return len(c.open) > argumentsDepth || c.inScalar || c.inString && !c.isKey || c.top().wants
}

// atArgument reports whether a member of the arguments begins here: nothing of its value is written but,
// maybe, an opening quote.
func (c *cursor) atArgument() bool {
	return c.inArguments() && len(c.open) == argumentsDepth && (c.top().wants || c.opened())
}

// opened reports whether a string value has just its opening quote.
func (c *cursor) opened() bool {
	return c.inString && !c.isKey && c.value == len(c.text)-1
}

// written is what the string value at hand has so far, as JSON, without the opening quote.
func (c *cursor) written() []byte { return c.text[c.value+1:] }
