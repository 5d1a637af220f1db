package grammar

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// automatonOf is nil, without an error, for a pattern that nothing matches.
func automatonOf(pattern string) (*dfa, error) {
	b := newRegexes()
	r, err := b.pattern(pattern)
	if err != nil {
		return nil, err
	}
	return newDFA(b, []*regex{r}, func(bits uint64) bool { return bits == 1 })
}

func (d *dfa) matches(text string) bool {
	if d == nil {
		return false
	}
	q := d.run(text)
	return q != dead && d.ends[q]
}

// common are patterns that RE2 and ECMA-262 read alike on texts without line ends.
var common = []string{
	``, `a`, `^a`, `a$`, `^a$`, `^$`, `abc`, `a|b`, `^(a|b)$`, `^a|b$`, `a*`, `^a*$`, `^a+$`, `^a?b$`, `^a{3}$`, `^a{2,}$`, `^a{1,3}b$`,
	`^(ab)*$`, `^(ab|c)+$`, `^(a|ab)(c|bcd)$`, `[abc]`, `^[abc]+$`, `^[^abc]+$`, `^[a-c0-2]{2,4}$`, `^[^a-c]*$`, `[-a]$`, `^[a-]+$`,
	`^\d+$`, `^\D+$`, `^\w+$`, `^\W$`, `^\w+@\w+\.\w+$`, `^\d{4}-\d{2}-\d{2}$`, `^-?\d+(\.\d+)?$`, `^[+-]?[0-9]*$`, `^\S+$`, `\s`, `^\s*a\s*$`,
	`^.{3}$`, `^.*a.*b.*$`, `a.c`, `a.*?c`, `^a+?b+?$`, `^(?:a|b)*c$`, `^(?P<x>a)b$`, `^((a)|(b(c)))*$`, `\ba`, `a\b`, `\Ba`, `^\bab\b$`,
	`a\b b`, `\b\d+\b`, `^a{0}b$`, `^(a{2}){2}$`, `^(a?){3}$`, `^(a*)*$`, `(a|aa)+$`, `^(a|b)*abb$`, `^\x61$`, `^\.\*\+\?\(\)\[\]\{\}\|\^\$\\$`,
	`é`, `^[à-ü]+$`, `^[^é]$`, `^(日本|語)+$`, `^[😀-😎]{2}$`, `^\p{L}+$`, `^\P{L}+$`, `^\p{Lu}\p{Ll}*$`, `^(a|b|ab)*c?$`, `x*y*z*$`, `^a(b(c(d)?)?)?$`, `$`, `^`,
	`^a$|^b$`, `(^a|b)c`, `(a|b$)`, `a^b`, `a$b`, `^(a|(b|(c|d)))+e$`,
}

// lineEnding has the characters that RE2 reads differently.
const lineEnding = "\n\r\v\u2028\u2029\u00a0\ufeff"

// textMaker writes texts that are close to what a pattern matches.
type textMaker struct {
	r *rand.Rand
	b strings.Builder
}

const someRunes = "aabbcdexyz0127-_.@ \téÀ日本語😀😁AB*+?()[]{}|^$\\"

func (m *textMaker) rune() rune {
	runes := []rune(someRunes)
	return runes[m.r.IntN(len(runes))]
}

// write spells a random match, as far as assertions allow.
func (m *textMaker) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		m.b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		m.member(re.Rune)
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		m.b.WriteRune(m.rune())
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			m.write(sub)
		}
	case syntax.OpAlternate:
		m.write(re.Sub[m.r.IntN(len(re.Sub))])
	case syntax.OpStar:
		m.times(re.Sub[0], m.r.IntN(4))
	case syntax.OpPlus:
		m.times(re.Sub[0], 1+m.r.IntN(3))
	case syntax.OpQuest:
		m.times(re.Sub[0], m.r.IntN(2))
	case syntax.OpRepeat:
		n := re.Min + m.r.IntN(3)
		if re.Max >= 0 {
			n = min(n, re.Max)
		}
		m.times(re.Sub[0], n)
	}
}

func (m *textMaker) times(re *syntax.Regexp, n int) {
	for range n {
		m.write(re)
	}
}

// member chooses of a class, common characters first.
func (m *textMaker) member(ranges []rune) {
	set := charSet(ranges)
	for range 20 {
		if c := m.rune(); set.has(c) {
			m.b.WriteRune(c)
			return
		}
	}
	i := 2 * m.r.IntN(len(ranges)/2)
	m.b.WriteRune(ranges[i] + m.r.Int32N(min(ranges[i+1]-ranges[i]+1, 1000)))
}

// text is a match, a match with an edit, a match inside more text, or anything.
func (m *textMaker) text(re *syntax.Regexp) string {
	m.b.Reset()
	m.write(re)
	runes := []rune(m.b.String())
	at := m.r.IntN(len(runes) + 1)
	switch m.r.IntN(6) {
	case 0:
		runes = append(runes[:at:at], append([]rune{m.rune()}, runes[at:]...)...)
	case 1:
		if at < len(runes) {
			runes = append(runes[:at:at], runes[at+1:]...)
		}
	case 2:
		runes = append([]rune{m.rune()}, append(runes, m.rune())...)
	case 3:
		runes = runes[:0:0]
		for range m.r.IntN(6) {
			runes = append(runes, m.rune())
		}
	}
	return string(runes)
}

// disagreements compares verdicts on random texts, and counts the matches.
func disagreements(pattern string, d *dfa, runs int, r *rand.Rand) (bad []string, matched int) {
	theirs := regexp.MustCompile(pattern)
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return []string{err.Error()}, 0
	}
	m := &textMaker{r: r}
	for range runs {
		text := m.text(parsed)
		if strings.ContainsAny(text, lineEnding) {
			continue
		}
		want := theirs.MatchString(text)
		if d.matches(text) != want {
			bad = append(bad, fmt.Sprintf("%q matches %q: Go says %t", pattern, text, want))
		}
		if want {
			matched++
		}
	}
	return bad, matched
}

func TestPatternsAgainstRE2(t *testing.T) {
	const runs = 120
	r := rand.New(rand.NewPCG(7, 11))
	matched, total := 0, 0
	for _, pattern := range common {
		d, err := automatonOf(pattern)
		if err != nil {
			t.Errorf("%q: %v", pattern, err)
			continue
		}
		bad, n := disagreements(pattern, d, runs, r)
		for _, line := range bad {
			t.Error(line)
		}
		matched, total = matched+n, total+runs
	}
	t.Logf("%d pairs, %d matches", total, matched)
	if matched < total/4 || matched > total*7/8 {
		t.Errorf("%d of %d texts match: too few of a kind to mean anything", matched, total)
	}
}

// TestPatternsAgainstRE2Notices is the control of the comparison: an automaton of another pattern is found out.
func TestPatternsAgainstRE2Notices(t *testing.T) {
	for pattern, other := range map[string]string{`^a+$`: `^a*$`, `a$`: `a`, `^[abc]+$`: `^[ab]+$`, `\ba`: `a`, `^a{1,3}b$`: `^a{1,2}b$`} {
		d, err := automatonOf(other)
		if err != nil {
			t.Fatal(err)
		}
		if bad, _ := disagreements(pattern, d, 300, rand.New(rand.NewPCG(1, 2))); len(bad) == 0 {
			t.Errorf("%q passes for %q", other, pattern)
		}
	}
}

// patternRow is a pattern with texts in which it is found, and others.
type patternRow struct {
	pattern       string
	found, absent []string
}

// TestPatternsOfECMA has what RE2 lacks or reads differently.
func TestPatternsOfECMA(t *testing.T) {
	for _, row := range []patternRow{
		{`^\d$`, texts("0", "9"), texts("٣", "a", "")},
		{`^\w+$`, texts("aZ_09"), texts("é", "-", "")},
		{`^\s$`, texts(" ", "\t", "\n", "\v", "\f", "\r", "\u00a0", "\ufeff", "\u2028", "\u2029", "\u3000", "\u1680", "\u2003", "\u202f", "\u205f"), texts("\u200b", "\u0085", "\u180e", "a", "")},
		{`^\S$`, texts("\u200b", "a", "é", "😀"), texts(" ", "\u00a0", "\ufeff")},
		{`^.$`, texts("a", "é", "😀", "\v", "\u0085"), texts("\n", "\r", "\u2028", "\u2029", "", "ab")},
		{`^[^]$`, texts("\n", "a", "😀"), texts("", "ab")},
		{`^[]$`, nil, texts("", "a", "]")},
		{`a[]|b`, texts("b"), texts("a", "a]")},
		{`^[\s\S]$`, texts("\n", "a"), texts("")},
		{`^[\d-x]+$`, texts("1-x", "-", "x"), texts("a", "")},
		{`^[a\-z]+$`, texts("a-z"), texts("b")},
		{`^[\b]$`, texts("\b"), texts("b", "\\")},
		{`^[\]\\^-]+$`, texts(`]\^-`), texts("a")},
		{`^[a^]$`, texts("a", "^"), texts("b")},
		{`^[.$*(]+$`, texts(".$*("), texts("a")},
		{`\bfoo\b`, texts("foo", "a foo b", "foo!", "é foo", "éfoo"), texts("foobar", "xfoo", "_foo", "foo1")},
		{`\Bb`, texts("ab", "bb"), texts("b", " b", "éb")},
		{`\B`, texts("", "ab", "  ", "é"), texts("a", "1")},
		{`^\b`, texts("a"), texts("", " a")},
		{`^(?=.*\d)(?=.*[a-z]).{4,6}$`, texts("abc1", "1a  "), texts("abcd", "1234", "a1", "abcdef1")},
		{`^(?!foo)`, texts("", "fo", "bar", "xfoo"), texts("foo", "foobar")},
		{`^(?!.*(foo|bar)).*$`, texts("", "fo", "baz"), texts("foo", "a bar", "foobar")},
		{`a(?=b)`, texts("ab", "aab"), texts("a", "ac", "b")},
		{`a(?!b)`, texts("a", "ac", "aba"), texts("ab", "b")},
		{`a(?=b)c`, nil, texts("abc", "ac", "ab")},
		{`^(a(?=c)|b)c$`, texts("ac", "bc"), texts("ab", "a", "b")},
		{`^(?:(?=ab)a){1,2}b$`, texts("ab"), texts("aab", "b")},
		{`(?=a)(?!ab)a`, texts("a", "ac", "abac"), texts("ab", "b")},
		{`^(?=(?!b)a).$`, texts("a"), texts("b", "c", "ab")},
		{`^\u0041\u00e9\u{1F600}$`, texts("Aé😀"), texts("A", "Aé", "aé😀")},
		{`^\ud83d\ude00$`, texts("😀"), texts("", "😁")},
		{`^[\u4e00-\u9fff]+$`, texts("日本"), texts("a", "ア", "")},
		{`^[\ud83d\ude00-\ud83d\ude05]$`, texts("😀", "😅"), texts("😆", "a")},
		{`^[\u{1F600}-\u{1F605}]$`, texts("😀", "😅"), texts("😆")},
		{`^\cJ\cA\cz$`, texts("\n\x01\x1a"), texts("JAz", "\n\x01")},
		{`^\x41\x7a$`, texts("Az"), texts("41", "x41x7a")},
		{`^\0$`, texts("\x00"), texts("0", "")},
		{`^\t\n\v\f\r$`, texts("\t\n\v\f\r"), texts("tnvfr")},
		{`^a*?b+?c??d{1,2}?$`, texts("abcdd", "bd", "aabbd"), texts("ad", "abcddd", "bccd")},
		{`^(?<year>\d{4})-(?<month>\d\d)$`, texts("2024-05"), texts("2024-5", "year-mo")},
		{`^\p{L}\p{Nd}\p{P}$`, texts("é٣!", "Z9-"), texts("1a!", "a1a")},
		{`^\p{Script=Greek}+$`, texts("αβγ"), texts("abc", "")},
		{`^\p{Greek}\p{Letter}\p{Lu}$`, texts("αaA"), texts("aaA", "αaa")},
		{`^\p{General_Category=Uppercase_Letter}$`, texts("É"), texts("é")},
		{`^[\p{L}\d_]+$`, texts("é1_"), texts("-", "")},
		{`^[^\p{L}]+$`, texts("1 -"), texts("a")},
		{`^\P{L}$`, texts("1", "-"), texts("a", "é")},
		{`^\/\-\:\@\#\%\&\=\!\,\;$`, texts("/-:@#%&=!,;"), texts("/")},
		{`^a{,3}$`, texts("a{,3}"), texts("a", "aaa")},
		{`^a{b}$`, texts("a{b}"), texts("ab")},
		{`^{$`, texts("{"), texts("")},
		{`^}]$`, texts("}]"), texts("}")},
		{`^a{1`, texts("a{1"), texts("a")},
		{`^[\w.+-]+@[\w-]+\.[\w.]+$`, texts("a.b+c@d-e.f"), texts("a@b", "@b.c")},
		{`^.$`, texts("é"), texts("e\u0301")}, // code points, not what a reader sees
		{`a\nb`, texts("a\nb"), texts("anb", "a b")},
		{`^a\n$`, texts("a\n"), texts("a")},
		{`^a$`, texts("a"), texts("a\n", "\na", "b\na")}, // no flag m
		{`A`, texts("A"), texts("a")},
		{`^(|a)$`, texts("", "a"), texts("aa")},
		{`^(a|)+b$`, texts("b", "aab"), texts("a")},
		{`()`, texts("", "x"), nil},
	} {
		row.check(t)
	}
}

func (row patternRow) check(t *testing.T) {
	t.Helper()
	d, err := automatonOf(row.pattern)
	if err != nil {
		t.Errorf("%q: %v", row.pattern, err)
		return
	}
	for _, text := range row.found {
		if !d.matches(text) {
			t.Errorf("%q is not found in %q", row.pattern, text)
		}
	}
	for _, text := range row.absent {
		if d.matches(text) {
			t.Errorf("%q is found in %q", row.pattern, text)
		}
	}
}

func TestPatternErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		`(a)\1`: "back reference", `(?<x>a)\k<x>`: "back reference", `\9`: "back reference",
		`(?<=a)b`: "lookbehind", `(?<!a)b`: "lookbehind",
		`(a`: "without )", `a)`: "unmatched )", `(?:a`: "without )", `(?=a`: "without )", `)`: "unmatched )", `[a`: "without ]", `[`: "without ]",
		`[^`: "without ]", `[a\]`: "without ]", `[z-a]`: "out of order", `[\u0062-\u0061]`: "out of order", `a{3,2}`: "out of order",
		`a{2001}`: "more than", `a{1,5000}`: "more than", `a{99999}`: "more than",
		`*`: "nothing to repeat", `+a`: "nothing to repeat", `a|?`: "nothing to repeat", `(*)`: "nothing to repeat", `a**`: "nothing to repeat",
		`^*`: "nothing to repeat", `\b+`: "nothing to repeat", `$?`: "nothing to repeat",
		`\`: "backslash at the end", `a\`: "backslash at the end", `\c1`: `\c`, `\p{Nonsense}`: "not supported", `\pL`: `without {}`, `\p{L`: `without {}`,
		`\u{110000}`: "code point", `\u{}`: "code point", `\u{zz}`: "code point", `(?i)a`: "flags", `(?i:a)`: "flags", `(?<x`: "name", `(?<xa)`: "name",
		`(^a)*`: "assertion", `(\ba)+`: "assertion", `(?:(?=a)a)*`: "assertion", `^(?=a)*b$`: "assertion",
	} {
		_, err := automatonOf(pattern)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, wanted an error with %q", pattern, err, want)
		}
	}
	for _, pattern := range []string{nested("(", "a", ")", 200), strings.Repeat("a", maxPatternBytes+1), `(a|b)*a(a|b){20}`} {
		if _, err := automatonOf(pattern); err == nil {
			t.Errorf("%.40q compiles", pattern)
		}
	}
	for _, pattern := range []string{nested("(", "a", ")", 90), `^a{2000}$`, `(a|b)*a(a|b){8}`} { // below the limits
		if _, err := automatonOf(pattern); err != nil {
			t.Errorf("%.40q: %v", pattern, err)
		}
	}
}

// TestPatternsInLinearTime matches what takes backtracking engines forever. That it ends at all is the point;
// that each byte leads to one state is counted.
func TestPatternsInLinearTime(t *testing.T) {
	const n = 100_000
	for _, pattern := range []string{`(a*)*b`, `(a|aa)+$`, `^(a+)+$`, `^(a|a)*$`, `^([a-z]+)*!$`, `(.*a){12}`, `^(?=(a+)+$)`, `(x+x+)+y`} {
		g := mustCompile(t, fmt.Sprintf(`{"type":"string","pattern":%q}`, pattern), ModeSchema)
		d, err := automatonOf(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.ends) > 200 {
			t.Errorf("%q: %d states", pattern, len(d.ends))
		}
		m, began := g.Start(noTokens), time.Now()
		m.AcceptBytes([]byte(`"`))
		for i := range n {
			if !m.AcceptBytes([]byte{'a'}) {
				t.Fatalf("%q: refused after %d bytes", pattern, i)
			}
			if len(m.threads) != 1 {
				t.Fatalf("%q: %d readings after %d bytes", pattern, len(m.threads), i)
			}
		}
		t.Logf("%-14s %d states, %v", pattern, len(d.ends), time.Since(began))
		if want := d.matches(strings.Repeat("a", n)); want != m.Closes(`"`) {
			t.Errorf("%q: may end %t, the automaton says %t", pattern, !want, want)
		}
	}
}

// formatRow has texts of a format. strict are those that only the other library takes, with the reason.
type formatRow struct {
	name           string
	valid, invalid []string
	strict         map[string]string
}

var formatRows = []formatRow{
	{name: "date",
		valid: texts("1963-06-19", "2020-01-31", "2021-02-28", "2020-02-29", "2020-03-31", "2020-04-30", "2000-02-29", "0000-01-01", "9999-12-31", "2024-12-31"),
		invalid: texts("", "2020-01-32", "2021-02-29", "2020-02-30", "1900-02-29", "2100-02-29", "2020-04-31", "2020-06-31", "2020-09-31", "2020-11-31", "2020-13-01", "2020-00-10",
			"2020-01-00", "06/19/1963", "2013-350", "1998-1-20", "1998-01-1", "1998-13-01", "1998-04-31", "1963-06-1৪", "20230328", "2023-W01", "2023-W13-2",
			"2022W527", "1963-06-19 ", " 1963-06-19", "1963-06-19\n", "-1963-06-19", "+11963-06-19", "1963-06-19T00:00:00Z", "19630-06-19")},
	{name: "time",
		valid: texts("08:30:06Z", "08:30:06z", "23:59:60Z", "23:59:60z", "23:59:60.52Z", "23:20:50.52Z", "08:30:06.283185Z", "08:30:06+00:20", "08:30:06-08:00", "00:00:00Z",
			"23:59:59.99999999999999Z", "12:00:00+23:59"),
		invalid: texts("", "008:030:006Z", "8:3:6Z", "8:0030:6Z", "22:59:60Z", "23:58:60Z", "24:00:00Z", "00:60:00Z", "00:00:61Z", "22:59:60+00:00", "01:02:03+24:00",
			"01:02:03+00:60", "01:02:03Z+00:30", "08:30:06 PST", "01:01:01,1111", "12:00:00", "12:00:00.52", "1২:00:00Z", "08:30:06#00:20", "ab:cd:ef", "12:00:00.Z",
			"08:30Z", "08:30:06-0800", "08:30:06-08", "12:00:00+1:00", "08:30:06-8000", "2020-01-01T08:30:06Z"),
		strict: map[string]string{"01:29:60+01:30": leapUTC, "23:29:60+23:30": leapUTC, "15:59:60-08:00": leapUTC, "00:29:60-23:30": leapUTC, "23:59:60+00:00": leapUTC}},
	{name: "date-time",
		valid: texts("1963-06-19T08:30:06.283185Z", "1963-06-19T08:30:06Z", "1937-01-01T12:00:27.87+00:20", "1990-12-31T15:59:50.123-08:00", "1998-12-31T23:59:60Z",
			"1963-06-19t08:30:06.283185z", "2020-02-29T00:00:00-23:59"),
		invalid: texts("", "1998-12-31T23:59:61Z", "1998-12-31T23:58:60Z", "1998-12-31T22:59:60Z", "1990-02-31T15:59:59.123-08:00", "1990-12-31T15:59:59-24:00",
			"1963-06-19T08:30:06.28123+01:00Z", "06/19/1963 08:30:06 PST", "2013-350T01:01:01", "1963-6-19T08:30:06.283185Z", "1963-06-1T08:30:06.283185Z",
			"1963-06-1৪T00:00:00Z", "1963-06-11T0৪:00:00Z", "1963-06-19 08:30:06Z", "1963-06-19T08:30:06", "1963-06-19", "08:30:06Z", "+11963-06-19T08:30:06.283185Z",
			"2021-02-29T00:00:00Z"),
		strict: map[string]string{"1998-12-31T15:59:60.123-08:00": leapUTC}},
	{name: "duration", // P1Y1D is no form of RFC 3339, but one of ISO 8601 that validators take
		valid:   texts("P4DT12H30M5S", "P4Y", "PT0S", "P0D", "P1M", "PT1M", "PT36H", "P1DT12H", "P2W", "P1Y2M3DT4H5M6S", "P1Y2M", "PT1H", "PT1H1M1S", "P10Y10M10D", "P1Y1D", "PT1H1S"),
		invalid: texts("", "P", "PT", "4DT12H30M5S", "P2D1Y", "P1D2H", "P2S", "P1YT", "PT1D", "P1", "P0.5Y", "PT0.5S", "P1Y2W", "P1W2D", "P২Y", "P-1D", "-P1D", "p1d", "P1Y ", "PT12", "P4DT"),
	},
	{name: "email",
		valid: texts("joe.bloggs@example.com", "te~st@example.com", "~test@example.com", "test~@example.com", `"joe bloggs"@example.com`, `"joe..bloggs"@example.com`,
			"joe.bloggs@[127.0.0.1]", "joe.bloggs@[IPv6:::1]", "te.s.t@example.com", "a@b", "user+tag@sub.example.co", "!#$%&'*+/=?^_`{|}~-@x.y"),
		invalid: texts("", "2962", "@", "a@", ".test@example.com", "test.@example.com", "te..st@example.com", "joe.bloggs@invalid=domain.com", "joe.bloggs@[127.0.0.300]",
			"a b@example.com", "a@b c", "a@-b.com", "a@b-.com", "a@b..c", "joe@[IPv6:::g]", strings.Repeat("a", 65)+"@b.c", "a@"+strings.Repeat("a", 64)+".com",
			"a@"+strings.Repeat("abcdefgh.", 28)+"com"),
		strict: map[string]string{"@b": "the other library takes an empty local part", `"joe@bloggs"@example.com`: "one @ only, also in quotes"}},
	{name: "hostname",
		valid: texts("www.example.com", "xn--4gbwdl.xn--wgbh1c", "hostname", "host-name", "h0stn4me", "1host", "hostnam3", "a.b.c", "a", "0", strings.Repeat("a", 63),
			strings.Repeat("a", 63)+"."+strings.Repeat("b", 63)+"."+strings.Repeat("c", 63)+"."+strings.Repeat("d", 61)),
		invalid: texts("", "-a-host-name-that-starts-with--", "not_a_valid_host_name", "-hostname", "hostname-", "_hostname", "hostname_", "host_name", ".example", "a..b", "a b", "é.com", ".", "a.-b",
			strings.Repeat("a", 64), "a-vvvvvvvvvvvvvvvveeeeeeeeeeeeeeeerrrrrrrrrrrrrrrryyyyyyyyyyyyyyyy-long-host-name-component",
			strings.Repeat("a", 63)+"."+strings.Repeat("b", 63)+"."+strings.Repeat("c", 63)+"."+strings.Repeat("d", 62), "＠", "a。b"),
		strict: map[string]string{"example.com.": "no dot at the end, as the test suite of JSON Schema has it"}},
	{name: "ipv4",
		valid: texts("192.168.0.1", "0.0.0.0", "255.255.255.255", "87.10.0.1", "127.0.0.1"),
		invalid: texts("", "127.0.0.0.1", "256.256.256.256", "127.0", "0x7f000001", "0x7f.0.0.1", "087.10.0.1", "1.2.3.04", "2130706433", "1২7.0.0.1", "192.168.1.0/24", " 127.0.0.1", "127.0.0.1 ",
			"1.2.3", "1.2.3.", ".1.2.3", "1..2.3", "-1.2.3.4", "1.2.3.256", "1.2.3.1000", "00.0.0.0")},
	{name: "ipv6",
		valid: texts("::1", "::", "::abef", "1:2:3:4:5:6:7:8", "::ffff:192.168.0.1", "1::d6:192.168.0.1", "1:2::192.168.0.1", "::42:ff:1", "d6::", "1:d6::42", "2345::", "1:2:3:4:5:6:1.2.3.4",
			"fe80::1", "2001:db8::", "2001:0db8:85a3:0000:0000:8a2e:0370:7334", "1:2:3:4:5:6::8", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "ABCD:EF01::"),
		invalid: texts("", "12345::", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "::laptop", ":2:3:4:5:6:7:8", "1:2:3:4:5:6:7:", ":2:3:4::8", "1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1",
			"1::d6:192.168.0", "1:2:3:4:1.2.3", "::ffff:192.168.0.1.5", "1::d6:192.256.0.1", "100:100:100:100:100:100:255.255.255.255.255", "fe80::/64", "fe80::a%eth1", "fe80::1%25en0", "127.0.0.1",
			" ::1", "::1 ", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:::8", "1:2:3:4:5:6:7:৪", "1:2::192.16৪.0.1", "[::1]", "::01.2.3.4", "::00001", "1:2:3:4:5:6:7:8::1")},
	{name: "uuid",
		valid: texts("2EB8AA08-AA98-11EA-B4AA-73B441D16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08-AA98-11ea-B4Aa-73B441D16380", "00000000-0000-0000-0000-000000000000",
			"98d80576-482e-427f-8434-7f86890ab222", "99c17cbb-656f-f64a-940f-1a4568f03487"),
		invalid: texts("", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-73b441d16380", "2eb8aa08-aa98-11ea-b4ga-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380",
			"2eb8aa08aa98-11ea-b4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d163800", "2eb8-aa08-aa98-11ea-b4aa73b44-1d16380", "2eb8aa08aa9811eab4aa73b441d16380----",
			"{2eb8aa08-aa98-11ea-b4aa-73b441d16380}", "urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638０")},
	{name: "uri",
		valid: texts("http://foo.bar/?baz=qux#quux", "http://foo.com/blah_(wikipedia)_blah#cite-1", "http://foo.bar/?q=Test%20URL-encoded%20stuff", "http://xn--nw2a.xn--j6w193g/",
			"http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com", "http://223.255.255.254", "ftp://ftp.is.co.za/rfc/rfc1808.txt", "http://www.ietf.org/rfc/rfc2396.txt",
			"ldap://[2001:db8::7]/c=GB?objectClass?one", "mailto:John.Doe@example.com", "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212",
			"urn:oasis:names:specification:docbook:dtd:xml:4.1.2", "https://example.com:8080/a/b;c?d=e", "file:///etc/hosts", "a:", "x+y-z.1:b", "http://", "http://a?b#c"),
		invalid: texts("", "//foo.bar/?baz=qux#quux", "/abc", "abc", "http:// shouldfail.com", ":// should fail", "bar,baz:fo", "http://[::g]/", "http://[::1", "http://a:b/", "1a:b", "http://a/%g1",
			"http://a/%2", "a b:c", "://x", "é:x", `\\WINDOWS\fileshare`, "https://[@example.org/foobar.txt"),
		strict: map[string]string{"https://example.org/foobar\\.txt": looseURI, "https://example.org/foobar<>.txt": looseURI,
			"https://example.org/foobar{}.txt": looseURI, "https://example.org/foobar^.txt": looseURI, "https://example.org/foobar`.txt": looseURI, "https://example.org/foo bar": looseURI,
			"http://a/#b#c": looseURI, "http://é.com": looseURI}},
}

const (
	leapUTC  = "leap seconds are written at UTC only"
	looseURI = "the other library takes characters that RFC 3986 does not"
)

func TestFormats(t *testing.T) {
	for _, row := range formatRows {
		t.Run(row.name, row.check)
	}
}

func (row formatRow) check(t *testing.T) {
	schema := fmt.Sprintf(`{"type":"string","format":%q}`, row.name)
	g := mustCompile(t, schema, ModeSchema)
	reference, err := compileReference([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range row.valid {
		row.verdict(t, g, reference, text, true, true)
	}
	for _, text := range row.invalid {
		row.verdict(t, g, reference, text, false, false)
	}
	for text := range row.strict {
		row.verdict(t, g, reference, text, false, true)
	}
}

// verdict asks for a text and for the same in escapes, which spell the same string.
func (row formatRow) verdict(t *testing.T, g *Grammar, s *jsonschema.Schema, text string, taken, valid bool) {
	t.Helper()
	for _, ascii := range []bool{false, true} {
		quoted := appendQuoted(nil, text, ascii)
		if got := accepts(g, string(quoted)); got != taken {
			t.Errorf("%s: accepted %t, wanted %t", quoted, got, taken)
		}
		if err := validate(s, quoted); (err == nil) != valid {
			t.Errorf("%s: valid %t, the other library says: %v", quoted, valid, err)
		}
	}
}

// TestFormatsThatAreNotEnforced pins which names restrict nothing, and which are reported.
func TestFormatsThatAreNotEnforced(t *testing.T) {
	for _, name := range []string{"idn-email", "idn-hostname", "iri", "iri-reference", "uri-template", "regex"} {
		if _, err := Compile(fmt.Appendf(nil, `{"format":%q}`, name), Options{}); err == nil {
			t.Errorf("format %q compiles", name)
		}
	}
	for _, name := range []string{"color", "int32", "phone", ""} {
		if g := mustCompile(t, fmt.Sprintf(`{"format":%q}`, name), ModeSchema); !accepts(g, `"anything"`) {
			t.Errorf("format %q restricts strings", name)
		}
	}
}
