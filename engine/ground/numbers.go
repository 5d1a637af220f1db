package ground

import (
	"strings"
	"unicode"
)

// findNumbers calls found for every value that a text can be read to mention: one way
// of writing may have several, "1,500" is 1500 and 1.5. Digits right behind a letter
// belong to a name ("B12"); what follows them may be a unit ("20mg").
func findNumbers(text string, found func(decimal)) {
	runes := []rune(text)
	for i := 0; i < len(runes); {
		if _, ok := digit(runes[i]); !ok {
			if f, ok := fractions[runes[i]]; ok {
				found(f)
			}
			i++
			continue
		}
		end := numeralEnd(runes, i)
		if i == 0 || !unicode.IsLetter(runes[i-1]) {
			n := newNumeral(runes, i, end)
			n.read(found)
		}
		i = end
	}
	findWords(text, found)
}

// digit is the value of a decimal digit of any script. Those of a script follow each
// other, and every range of them begins with a zero.
func digit(r rune) (value int, ok bool) {
	if r < 0x80 {
		return int(r - '0'), '0' <= r && r <= '9'
	}
	for _, table := range unicode.Nd.R16 {
		if lo, hi := rune(table.Lo), rune(table.Hi); lo <= r && r <= hi {
			return int(r-lo) % 10, true
		}
	}
	for _, table := range unicode.Nd.R32 {
		if lo, hi := rune(table.Lo), rune(table.Hi); lo <= r && r <= hi {
			return int(r-lo) % 10, true
		}
	}
	return 0, false
}

// fractions are the vulgar ones that have a finite decimal.
var fractions = map[rune]decimal{
	'½': constant("0.5"), '¼': constant("0.25"), '¾': constant("0.75"),
	'⅕': constant("0.2"), '⅖': constant("0.4"), '⅗': constant("0.6"), '⅘': constant("0.8"),
	'⅛': constant("0.125"), '⅜': constant("0.375"), '⅝': constant("0.625"), '⅞': constant("0.875"), '⅒': constant("0.1"),
}

// separators stand between the digits of one number: of groups of thousands, or before
// decimals. Blanks do only before three digits.
const separators = ",.'’٬٫_"

const blanks = " \u00a0\u202f\u2009"

// numeralEnd is where the digits from start on, with separators between them, end.
func numeralEnd(runes []rune, start int) int {
	end := start
	for {
		for end < len(runes) && isDigit(runes[end]) {
			end++
		}
		if end+1 >= len(runes) || !isDigit(runes[end+1]) {
			return end
		}
		switch {
		case strings.ContainsRune(separators, runes[end]):
		case strings.ContainsRune(blanks, runes[end]) && threeDigits(runes[end+1:]):
		default:
			return end
		}
		end++
	}
}

func isDigit(r rune) bool { _, ok := digit(r); return ok }

func threeDigits(runes []rune) bool {
	n := 0
	for n < 4 && n < len(runes) && isDigit(runes[n]) {
		n++
	}
	return n == 3
}

// signed reports a minus in front of what begins at i, which is not one between two
// numbers or words.
func signed(runes []rune, i int) bool {
	for i > 0 && strings.ContainsRune("$€£¥ ", runes[i-1]) && i > 1 && isMinus(runes[i-2]) {
		i--
	}
	if i == 0 || !isMinus(runes[i-1]) {
		return false
	}
	return i == 1 || !unicode.IsLetter(runes[i-2]) && !isDigit(runes[i-2])
}

func isMinus(r rune) bool { return r == '-' || r == '−' || r == '–' }

// numeral is a number in digits, with separators between them, and what stands around
// it.
type numeral struct {
	text  []rune
	minus bool
	next  rune // right behind; 0 at the end
	power int  // of ten, that the letters or the word behind stand for
}

func newNumeral(runes []rune, start, end int) numeral {
	n := numeral{text: runes[start:end], minus: signed(runes, start)}
	if end < len(runes) {
		n.next = runes[end]
	}
	at := end
	for at < len(runes) && strings.ContainsRune(blanks, runes[at]) {
		at++
	}
	word := at
	for word < len(runes) && word-at <= longestMultiplier && unicode.IsLetter(runes[word]) {
		word++
	}
	if word-at > len("mio") || at == end { // "5 m" are metres
		n.power = multipliers[strings.ToLower(string(runes[at:word]))]
	}
	return n
}

// group is the digits between two separators.
type group struct {
	before rune // the separator in front; 0 for the first
	digits string
}

func (n *numeral) groups() (list []group) {
	before, digits := rune(0), []byte{}
	for _, r := range n.text {
		if v, ok := digit(r); ok {
			digits = append(digits, byte('0'+v))
			continue
		}
		list = append(list, group{before, string(digits)})
		before, digits = r, digits[:0]
	}
	return append(list, group{before, string(digits)})
}

// read finds the values that the numeral can stand for.
func (n *numeral) read(found func(decimal)) {
	groups := n.groups()
	whole, isWhole := thousands(groups)
	if isWhole {
		n.report(found, whole, 0)
	}
	last := groups[len(groups)-1]
	decimals := false
	if strings.ContainsRune(",.٫", last.before) {
		var whole string
		if whole, decimals = thousands(groups[:len(groups)-1]); decimals && !uses(groups[:len(groups)-1], last.before) {
			n.report(found, whole+last.digits, -len(last.digits))
		}
	}
	if spaced := uses(groups, ' '); spaced || !isWhole && (!decimals || len(groups) == 2 && last.before == ',') {
		// A list without blanks, a version, an address.
		for _, g := range groups {
			n.report(found, g.digits, 0)
		}
	}
}

func uses(groups []group, separator rune) bool {
	for _, g := range groups {
		if g.before == separator || separator == ' ' && g.before != 0 && strings.ContainsRune(blanks, g.before) {
			return true
		}
	}
	return false
}

// thousands joins groups that one separator divides into thousands, or as in India;
// ok is false for others.
func thousands(groups []group) (digits string, ok bool) {
	var joined strings.Builder
	for i, g := range groups {
		switch last := i == len(groups)-1; {
		case i == 0 && (len(groups) == 1 || len(g.digits) <= 3):
		case i == 0 || g.before == '٫' || i > 1 && g.before != groups[1].before:
			return "", false
		case len(g.digits) == 3:
		case len(g.digits) == 2 && !last && g.before == ',':
		default:
			return "", false
		}
		joined.WriteString(g.digits)
	}
	return joined.String(), true
}

// multipliers are the powers of ten that letters right behind digits, or words after
// them, stand for.
var multipliers = map[string]int{
	"k": 3, "m": 6, "mn": 6, "mio": 6, "bn": 9, "b": 9,
	"hundred": 2, "thousand": 3, "million": 6, "billion": 9,
}

const longestMultiplier = len("thousand")

// report gives a value, and what is made of it by what stands behind.
func (n *numeral) report(found func(decimal), digits string, exponent int) {
	value := newDecimal(n.minus, digits, exponent)
	found(value)
	if f, ok := fractions[n.next]; ok && exponent == 0 {
		found(value.plus(f))
	}
	if n.next == '%' {
		found(value.times(-2))
	}
	if n.power > 0 {
		found(value.times(n.power))
	}
}
