package ground

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestNumbersInText has texts with numbers that they mention, and such that they don't.
func TestNumbersInText(t *testing.T) {
	for _, c := range []struct{ text, has, not string }{
		// Digits and what stands around them.
		{"set a timer for 10 minutes", "10 10.0 1e1 1.0E+1", "1 0 100"},
		{"call 17 times", "17", "1 7"},
		{"vitamin B12 and mp3", "", "12 3 2"},
		{"take 20mg at 5pm on the 3rd", "20 5 3", ""},
		{"a 06410 zip code", "6410", "64 10"},
		{"from 3-5 people, 2024-09-25 at 10:30", "3 5 2024 9 25 10 30", "-5 -9"},
		{"it is -5 outside, or −7.5, or - 4", "-5 -7.5 -4", "5 7.5"},
		{"0 or 00 or 0.0", "0 -0 0.0 0e5", "1"},
		{"1.2.3.4 and v10.20.30", "1 2 3 4", "1.2 123 10 20"},
		{"10,20,30 or 7/8", "10 20 30 7 8", "102030 10.2"},
		// Thousands and decimals of several locales.
		{"1,500 people", "1500 1.5", "1 500"},
		{"1.500 Leute", "1500 1.5", ""},
		{"1 500 personnes, 2\u00a0000, 3\u202f000", "1500 2000 3000 1 500", ""},
		{"1'500 Franken, 2’000", "1500 2000", ""},
		{"1,00,000 rupees and 12,34,567", "100000 1234567", "100"},
		{"1,234,567.89 or 1.234.567,25", "1234567.89 1234567.25", "1.234"},
		{"3,4 Grad", "3.4 3 4", "34"},
		{"pi is 3.14159", "3.14159", "314159 3"},
		{"1,2345", "1.2345", "12345"},
		{"call room 5 300 times", "5 300 5300", ""},
		{"٣٠ دقيقة و ١٬٥٠٠ و ٢٫٥", "30 1500 2.5", ""},
		{"१२ मिनट", "12", ""},
		{"１２３分", "123", ""},
		// Signs and units behind.
		{"10k and 5M and 2bn", "10 10000 5 5000000 2000000000", "50000"},
		{"2.5 million, 3 thousand, 4 hundred", "2.5 2500000 3000 400", "25000000"},
		{"5 m long", "5", "5000000"},
		{"50% off", "50 0.5", "5"},
		{"½ cup, 2½ cups, 1 ¾", "0.5 2.5 0.75 1", "3"},
		// English words.
		{"twenty-five minutes", "25", "20 5"},
		{"a hundred and one dalmatians, two hundred", "101 200", "100"},
		{"three hundred forty-two thousand six hundred and seven", "342607", "300 42"},
		{"one two three", "1 2 3", "6 12"},
		{"two and a half hours", "2 2.5", "3"},
		{"half an hour, a quarter, a dozen eggs, a couple", "0.5 0.25 12 2", "6"},
		{"an hour and a minute", "1", "2"},
		{"a cat", "", "1"},
		{"the twenty-first of May", "21", "20 1"},
		{"minus ten degrees", "-10 10", ""},
		{"a million", "1000000", "1"},
		{"five twenty", "5 20", "25"},
		{"someone wants everything", "", "1"},
		{"Twice, TEN", "2 10", ""},
		{"", "", "0 1"},
		// Other languages' words are left alone.
		{"zwanzig Minuten, dix, 三十", "", "20 10 30"},
	} {
		e := NewEvidence(c.text)
		for _, n := range strings.Fields(c.has) {
			if !e.HasNumber(n) {
				t.Errorf("%q does not mention %s but %v", c.text, n, e.numbers)
			}
		}
		for _, n := range strings.Fields(c.not) {
			if e.HasNumber(n) {
				t.Errorf("%q mentions %s", c.text, n)
			}
		}
	}
}

// TestWrittenNumbersAreFound writes random numbers as people of several places do.
func TestWrittenNumbersAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		n := int64(r.Uint64() >> (10 + r.IntN(54)))
		decimals := strconv.Itoa(1 + r.IntN(99))
		for _, locale := range []struct{ separator, point string }{{",", "."}, {".", ","}, {" ", ","}, {"\u202f", ","}, {"'", "."}, {"’", "."}, {"", "."}, {"", ","}, {"_", "."}} {
			whole := grouped(n, locale.separator)
			if text := "so " + whole + " it is"; !NewEvidence(text).HasNumber(strconv.FormatInt(n, 10)) {
				t.Fatalf("%q does not mention %d", text, n)
			}
			value := fmt.Sprintf("%d.%s", n, decimals)
			if text := "(" + whole + locale.point + decimals + ")"; !NewEvidence(text).HasNumber(value) {
				t.Fatalf("%q does not mention %s", text, value)
			}
		}
		if n = n % 1_000_000_000_000; !NewEvidence("the " + words64(n) + " of them").HasNumber(strconv.FormatInt(n, 10)) {
			t.Fatalf("%q does not mention %d", words64(n), n)
		}
	}
}

func grouped(n int64, separator string) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + separator + text[at:]
	}
	return text
}

// words64 spells a number below 10^12 in English.
func words64(n int64) string {
	ones := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens := strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	rest := func(by int64, joint string) string {
		if n%by == 0 {
			return ""
		}
		return joint + words64(n%by)
	}
	switch {
	case n < 20:
		return ones[n]
	case n < 100:
		return tens[n/10] + rest(10, "-")
	case n < 1000:
		return ones[n/100] + " hundred" + rest(100, " and ")
	case n < 1_000_000:
		return words64(n/1000) + " thousand" + rest(1000, " ")
	case n < 1_000_000_000:
		return words64(n/1_000_000) + " million" + rest(1_000_000, " ")
	default:
		return words64(n/1_000_000_000) + " billion" + rest(1_000_000_000, " ")
	}
}

// TestDecimalsAreValues compares equality with that of rational numbers.
func TestDecimalsAreValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	random := func() string {
		text := strconv.Itoa(r.IntN(12) - 6)
		if r.IntN(2) > 0 {
			text += "." + []string{"0", "00", "5", "50", "25", "05"}[r.IntN(6)]
		}
		if r.IntN(2) > 0 {
			text += []string{"e", "E", "e+", "e-"}[r.IntN(4)] + strconv.Itoa(r.IntN(4))
		}
		return text
	}
	equal := 0
	for range 100_000 {
		a, b := random(), random()
		x, okX := parseDecimal(a)
		y, okY := parseDecimal(b)
		p, _ := new(big.Rat).SetString(a)
		q, _ := new(big.Rat).SetString(b)
		if !okX || !okY || (x == y) != (p.Cmp(q) == 0) {
			t.Fatalf("%s is %s, %s is %s", a, x, b, y)
		}
		if x == y {
			equal++
		}
	}
	if equal < 1000 {
		t.Errorf("only %d pairs were equal", equal)
	}
	for _, bad := range []string{"", "-", "x", "1.2.3", "1e", "1ex", "--1", "1e99999999999", ".5", "0x10", "١"} {
		if d, ok := parseDecimal(bad); ok {
			t.Errorf("%q is %s", bad, d)
		}
	}
}

func TestTextInConversation(t *testing.T) {
	e := NewEvidence("Book a table at Chez-Panisse for Ana Müller", "北京的天气 в Москве Καφές", "مرحبا بالعالم")
	for text, want := range map[string]bool{
		"Chez Panisse": true, "chez_panisse": true, "ana müller": true, "ANA MÜLLER": true, "AnaMuller": false,
		"xy": true, "北京": true, "北京的": true, "上海市": false, "москве": true, "МОСКВА": false, "καφές": true, "بالعالم": true, "الدنيا": false,
		"Ana Müller 北京": false, "": true, "table": true, "tables": false,
	} {
		if got := e.HasText(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// FuzzEvidence reads any text. What it finds in a text it finds in a longer one that
// begins with it, and each value is one that parseDecimal could give.
func FuzzEvidence(f *testing.F) {
	for _, text := range []string{"1,500.25 or 1.500,25", "twenty-five and a half", "2½ cups -5 10k 50%", "١٬٥٠٠ 12,34,567", "a hundred and one million billion", "\xff1\u00a0000"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		longer := NewEvidence(text, "and 7 more")
		if !longer.HasNumber("7") || !longer.HasText("more") {
			t.Error("the second text is not found")
		}
		for d := range NewEvidence(text).numbers {
			if again, ok := parseDecimal(d.String()); !ok || again != d {
				t.Errorf("%s is no value", d)
			}
			if !longer.numbers[d] {
				t.Errorf("%s is lost among more texts", d)
			}
		}
	})
}
