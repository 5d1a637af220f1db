package ground

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// A number of fewer digits could be anything; none has more.
const (
	fewestDigits = 5
	mostDigits   = 15
)

// phone is a number as a text writes it.
type phone struct{ text, digits string }

// completePhones completes numbers that break off, and writes them as the request does.
func completePhones(j *judge, rule string) {
	var asked, said []phone
	looked := false
	eachCall(func(e *editor) {
		for _, a := range e.leaves() {
			if !a.value.Is(jsontext.String) || a.listed() || a.grounded() || !isPhoneKey(&a.place) {
				continue
			}
			digits := phoneDigits(a.value.Text)
			if digits == "" {
				continue
			}
			if !looked {
				asked, said, looked = phones(j.request.text), phones(j.conversation), true
			}
			if p, why := likely(digits, asked, said); p != nil && p.text != a.value.Text && p.keepsCode(a.value.Text, digits) && (p.digits != digits || !a.fixesFormat()) {
				e.change(why, a.becomeText(p.text))
			}
		}
	})(j, rule)
}

// likely is the one number of the request that a value's digits are, or are the beginning or
// the end of; nil for none or several. What somebody said as it stands is complete.
func likely(digits string, asked, said []phone) (p *phone, why string) {
	part := func(p phone) bool { return p.continues(digits) || p.precedes(digits) }
	same := func(p phone) bool { return p.digits == digits }
	fits, why := part, "the request goes on"
	if slices.ContainsFunc(said, same) {
		fits, why = same, "the request writes it so"
	}
	for i := range asked {
		switch {
		case !fits(asked[i]):
		case p == nil:
			p = &asked[i]
		case *p != asked[i]:
			return nil, ""
		}
	}
	return p, why
}

// keepsCode reports whether a number has the code of the country that a value begins with: the
// request may have it somewhere else.
func (p *phone) keepsCode(value, digits string) bool {
	plus := isInternational(value)
	if !plus && !strings.HasPrefix(digits, "00") {
		return true
	}
	return strings.HasPrefix(p.digits, digits) && (!plus || isInternational(p.text))
}

// isInternational reports whether a number begins with a plus, in a bracket or not.
func isInternational(number string) bool {
	return strings.HasPrefix(strings.TrimLeftFunc(number, func(r rune) bool { return strings.ContainsRune(gapMarks, r) }), "+")
}

// completeDigits is from how many digits on what follows a blank may be another number.
const completeDigits = 9

// continues reports whether a number goes on where digits end.
func (p *phone) continues(digits string) bool {
	return strings.HasPrefix(p.digits, digits) && (len(digits) < completeDigits || !strings.ContainsFunc(p.text[p.offset(len(digits)-1):], unicode.IsSpace))
}

// precedes reports whether a number has more in front of its last digits. A blank behind a few
// digits may stand between two numbers, unless they are an area's.
func (p *phone) precedes(digits string) bool {
	if !strings.HasSuffix(p.digits, digits) {
		return false
	}
	head := p.text[:p.offset(len(p.digits)-len(digits))]
	return !strings.ContainsFunc(head, unicode.IsSpace) || strings.ContainsAny(head[:1], "+(0")
}

// offset is where the digit n of a number begins in its text.
func (p *phone) offset(n int) int {
	for i, r := range p.text {
		if isDigit(r) {
			n--
		}
		if n < 0 {
			return i
		}
	}
	return len(p.text)
}

// phoneWords name telephones and their numbers, contactWords only with "number" behind.
var (
	phoneWords = words("phone phones telephone telephones mobile mobiles tel cell cellphone cellphones cellular fax telefax handphone " +
		"landline phonenumber phonenumbers telephonenumber mobilenumber faxnumber cellnumber phoneno mobileno telno faxno")
	contactWords = words("contact callback caller callee recipient sender whatsapp sms dial dialed emergency call")
	numberWords  = words("number numbers no num nr")
)

// isPhoneKey reports whether a property is a telephone number; "number" is one when its
// schema says so.
func isPhoneKey(p *place) bool {
	list := keyWords(p.key)
	if hasWord(list, phoneWords) {
		return true
	}
	n := len(list)
	switch {
	case n == 0 || !numberWords.has(list[n-1]):
		return false
	case n == 1:
		return hasWord(strings.Fields(plain(p.text())), phoneWords)
	}
	return contactWords.has(list[n-2])
}

// fixesFormat reports whether a schema says how numbers are written.
func (p *place) fixesFormat() bool {
	text := lowered(p.text())
	return p.has("pattern") || p.has("format") ||
		slices.ContainsFunc([]string{"e.164", "e164", "format", "digits", "international", "country code"}, func(w string) bool { return strings.Contains(text, w) })
}

// gapMarks stand between the digits of one number.
const gapMarks = " -.()/\u00a0\u2009\u202f\u2010\u2011\u2013"

// phoneDigits are the digits of a number that is nothing else; "" when they are too few.
func phoneDigits(value string) string {
	var b []byte
	for _, r := range value {
		if d, ok := digit(r); ok {
			b = append(b, byte('0'+d))
		} else if r != '+' && !strings.ContainsRune(gapMarks, r) {
			return ""
		}
	}
	if len(b) < fewestDigits || len(b) > mostDigits {
		return ""
	}
	return string(b)
}

// phones are the runs of digits in a text that can be telephone numbers.
func phones(text string) (list []phone) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isDigit(r) {
			i += size
			continue
		}
		end := runEnd(text, i)
		start := runStart(text, i)
		run := text[start:end]
		if strings.HasPrefix(run, "(") && strings.Count(run, "(") > strings.Count(run, ")") {
			run, start = run[1:], start+1
		}
		if digits := phoneDigits(run); digits != "" && standsAlone(text, start, end) && !isDay(run) {
			list = append(list, phone{run, digits})
		}
		i = end
	}
	return list
}

// runStart takes a plus and a bracket in front of the first digit.
func runStart(text string, at int) int {
	for range 2 {
		if at > 0 && (text[at-1] == '+' || text[at-1] == '(') {
			at--
		}
	}
	return at
}

// runEnd is where the digits end that begin at a byte, with what separates their groups.
func runEnd(text string, at int) (end int) {
	g := gaps{open: at > 0 && text[at-1] == '(' || strings.HasSuffix(text[:at], "(+")}
	end = at
	for i, r := range text[at:] {
		here := at + i
		switch {
		case isDigit(r):
			if here > end && !g.joins(text[end:here]) {
				return end
			}
			end = here + utf8.RuneLen(r)
			g.digits++
			g.group++
		case here-end >= longestGap || !strings.ContainsRune(gapMarks, r):
			return end
		}
	}
	return end
}

// longestGap is how many bytes the marks between two groups of digits have at most.
const longestGap = 5

// gaps judges what stands between groups of digits.
type gaps struct {
	open   bool // a bracket
	marked bool // there was a gap with a mark
	digits int  // so far
	group  int  // digits of the last group
}

// joins reports whether what stands behind a gap belongs to the same number: blanks do not
// join what marks separate elsewhere, nor any mark two long groups.
func (g *gaps) joins(gap string) bool {
	blank := strings.TrimFunc(gap, unicode.IsSpace) == ""
	switch {
	case g.group >= 7 || utf8.RuneCountInString(gap) > 3 || blank && g.marked:
		return false
	case strings.Contains(gap, "/") && (gap != "/" || g.digits > 6):
		return false
	case strings.HasPrefix(gap, ".") && gap != ".": // of a sentence
		return false
	}
	for _, r := range gap {
		if r == '(' && g.open || r == ')' && !g.open {
			return false
		}
		g.open = g.open && r != ')' || r == '('
	}
	g.marked = g.marked || !blank && !strings.ContainsAny(gap, "()")
	g.group = 0
	return true
}

// standsAlone reports whether what stands around digits does not make them a part of a name,
// an address or an amount. Letters of scripts without case may touch a number.
func standsAlone(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	joined := func(r rune) bool {
		return isCapital(r) || unicode.IsLower(r) || strings.ContainsRune("_@#=&%/", r) || unicode.Is(unicode.Sc, r)
	}
	return !joined(before) && !joined(after)
}

// isDay reports whether digits are written as a day is: with marks of one kind around the
// month, and the year at one end.
func isDay(run string) bool {
	for _, mark := range []string{"-", "/", "."} {
		if p := strings.Split(run, mark); len(p) == 3 && onlyDigits(p[0]+p[1]+p[2]) {
			year, day := len(p[0]), len(p[2])
			return len(p[1]) <= 2 && (year == 4 && day <= 2 || year <= 2 && (day == 4 || day == 2))
		}
	}
	return false
}
