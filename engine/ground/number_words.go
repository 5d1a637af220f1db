package ground

import (
	"strconv"
	"strings"
	"unicode"
)

// English number words. Ones and tens add up, hundred and the larger ones multiply.
var (
	smallWords = map[string]int{
		"zero": 0, "nil": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
		"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
		"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
		"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
		"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
		"tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
		"seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30, "fortieth": 40,
		"fiftieth": 50, "sixtieth": 60, "seventieth": 70, "eightieth": 80, "ninetieth": 90,
	}
	largeWords = map[string]int{
		"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000,
		"hundredth": 100, "thousandth": 1000,
	}
	// countWords stand for a number by themselves.
	countWords = map[string]decimal{
		"single": constant("1"), "once": constant("1"), "couple": constant("2"), "pair": constant("2"), "both": constant("2"),
		"double": constant("2"), "twice": constant("2"), "triple": constant("3"), "thrice": constant("3"), "trio": constant("3"),
		"dozen": constant("12"), "half": constant("0.5"), "quarter": constant("0.25"),
	}
	// units are what "a" and "an" count one of.
	units = words("second minute hour day week fortnight month year decade percent degree metre meter mile kilometre " +
		"kilometer foot inch yard litre liter gallon pint cup ounce pound gram kilo kilogram ton tonne dollar euro cent " +
		"piece slice bottle pack time bit")
)

// findWords calls found for the numbers that English words of a text stand for.
func findWords(text string, found func(decimal)) {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	for i := 0; i < len(list); {
		if d, ok := countWords[list[i]]; ok {
			found(d)
		}
		if units.has(singular(list, i+1)) && (list[i] == "a" || list[i] == "an") {
			found(countWords["single"])
		}
		value, next, ok := spelt(list, i)
		if !ok {
			i++
			continue
		}
		d := newDecimal(false, strconv.FormatInt(value, 10), 0)
		if i > 0 && (list[i-1] == "minus" || list[i-1] == "negative") {
			found(d.minus())
		}
		found(d)
		if half(list, next) { // "two and a half"
			found(d.plus(countWords["half"]))
		}
		i = next
	}
}

// singular is the word at i without a plural s, "" beyond the end.
func singular(list []string, i int) string {
	if i >= len(list) {
		return ""
	}
	return strings.TrimSuffix(list[i], "s")
}

func half(list []string, i int) bool {
	return i+2 < len(list) && list[i] == "and" && list[i+1] == "a" && list[i+2] == "half"
}

// mostSpelt keeps the sums of number words within an int64.
const mostSpelt = 1_000_000_000_000

// spelt reads the number words from i on: their value, and where they end.
func spelt(list []string, i int) (value int64, next int, ok bool) {
	var total, current int64
	last := -1 // the value of the word before, of its own kind
	for next = i; next < len(list); next++ {
		word := list[next]
		if small, known := smallWords[word]; known {
			// "twenty five" is one number, "five twenty" and "one two" are two.
			if last >= 0 && !(last >= 20 && last < 100 && small < 10 && small > 0) {
				break
			}
			current, last, ok = current+int64(small), small, true
			continue
		}
		large, known := largeWords[word]
		switch {
		case known && (ok || next > i && (list[next-1] == "a" || list[next-1] == "an")):
		case known && next == i:
			ok = true // "hundreds of" is none, but "hundred" is
		case (word == "a" || word == "an") && next == i && next+1 < len(list) && largeWords[list[next+1]] > 0:
			continue
		case word == "and" && ok && next+1 < len(list) && last == -1 && isSmall(list[next+1]):
			continue
		default:
			return total + current, next, ok
		}
		if current == 0 {
			current = 1
		}
		if current *= int64(large); large >= 1000 || current > mostSpelt {
			total, current = total+current, 0
		}
		if last, ok = -1, true; total > mostSpelt {
			return total, next + 1, true
		}
	}
	return total + current, next, ok
}

func isSmall(word string) bool { _, ok := smallWords[word]; return ok }
