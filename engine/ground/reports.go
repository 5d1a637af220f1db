package ground

import (
	"strings"
	"unicode/utf8"
)

var (
	// saying are the verbs of reported speech.
	saying = words("said says texted wrote emailed messaged posted complained mentioned asked replied shouted")
	quotes = `"“”„«»`
)

const (
	// mostBetween is how many bytes may stand between such a verb and what it reports.
	mostBetween = 40
	// mostQuoted is how long a quotation between single quotes may be.
	mostQuoted = 400
)

// Reports reports whether the request tells what somebody else said: a verb of saying,
// not the user's own, is followed by a quotation. An apostrophe is no quotation mark; a
// single quote that has a partner is.
func (r *Request) Reports() bool { return len(r.reports()) > 0 }

// report is a quotation: the index of the verb, and the bytes from its end to the quotation's.
type report struct{ verb, at, end int }

func (r *Request) reports() (list []report) {
	for i, w := range r.words {
		told := w.text == "told" && (r.at(i+1) == "me" || r.at(i+1) == "us")
		if !told && !saying[w.text] || w.quoted || r.ownWords(i) || writing[r.before(i)] {
			continue
		}
		if end := quotationEnd(r.text[w.end:]); end > 0 {
			list = append(list, report{i, w.end, w.end + end})
		}
	}
	return list
}

// writing are what a text stands on or in: "a note that says".
var writing = words("that which note label song lyrics title")

// ownWords reports whether the verb at i is about the user: "I just said".
func (r *Request) ownWords(i int) bool {
	before := r.before(i)
	if before == "just" || before == "already" || before == "also" || before == "had" || before == "have" {
		before = r.at(i - 2)
	}
	return before == "i" || before == "we" || before == "i've"
}

// quotationEnd is where a quotation that begins soon in a text ends; 0 for none. One that is
// left open goes on to the end.
func quotationEnd(text string) int {
	if open := strings.IndexAny(text[:min(len(text), mostBetween)], quotes); open >= 0 {
		_, size := utf8.DecodeRuneInString(text[open:])
		if length := strings.IndexAny(text[open+size:], quotes); length >= 0 && length < mostQuoted {
			return open + size + length
		}
		return min(len(text), open+mostQuoted)
	}
	return singleQuoted(text)
}

// singleQuoted is where words between single quotes end, with which a text soon goes on.
func singleQuoted(text string) int {
	text = text[:min(len(text), mostBetween+mostQuoted)]
	for _, pair := range [][2]string{{" '", "'"}, {" ‘", "’"}, {":'", "'"}} {
		open := strings.Index(text, pair[0])
		if open < 0 || open > mostBetween {
			continue
		}
		start := open + len(pair[0])
		inner := text[start:]
		for at := strings.Index(inner, pair[1]); at >= 0; {
			after := inner[at+len(pair[1]):]
			if at > 0 && (after == "" || strings.ContainsAny(after[:1], " .,!?;:)")) {
				return start + at
			}
			next := strings.Index(after, pair[1])
			if next < 0 {
				break
			}
			at += len(pair[1]) + next
		}
	}
	return 0
}

// unreported is what the request says outside of what it reports.
func (r *Request) unreported(list []report) (inside, rest *spoken) {
	var told, verbs []span
	at := 0
	for _, one := range list {
		from := max(at, one.verb)
		to := from
		for to < len(r.words) && (to <= one.verb || r.words[to].at < one.end) {
			to++
		}
		if from < to {
			told, verbs = append(told, span{min(from+1, to), to}), append(verbs, span{from, to})
			at = to
		}
	}
	return r.say(told...), r.say(r.outside(verbs)...)
}
