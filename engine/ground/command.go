package ground

import "strings"

const writingText = "message text note remind tell write say email mail post reply answer respond send dm sms tweet forward ask memo reminder " +
	"notify inform leave"

// The words in this file are English.
var (
	// writingVerbs begin a request to write something, or are a part of one; a tool whose name has one of their stems
	// writes.
	writingVerbs = words(writingText)
	writingStems = stems(writingText)
	// commands are verbs that requests begin with.
	commands = words("message text note remind tell write email mail post reply answer respond send dm sms tweet forward ask notify inform " +
		"create make add call phone ring dial play turn switch set open close shut lock unlock start stop pause resume book order delete remove show " +
		"find search look get give schedule cancel put move copy save share buy pay transfer translate read check list invite dim raise lower " +
		"increase decrease convert calculate summarize record use pick choose bring take change update rename print download upload log mark " +
		"wake mute unmute enable disable reserve compare sort filter go navigate track draw keep ignore archive confirm decline accept report quote")
	// polite stand before such a verb.
	polite = words("please so then and now also just can could would will you i want need to like i'd hey ok okay kindly but go ahead let's")
	// nouns are commands that may as well be things that say something.
	nouns = words("message text note email mail post reply answer sms tweet dm memo report call log list record order quote")
	// definite make a noun of a command.
	definite = words("the this that his her their its our a an your")
)

// mostPolite bounds the words of politeness before a verb.
const mostPolite = 6

// begins reports whether the word at i begins what its clause asks for.
func (r *Request) begins(i int) bool {
	for range mostPolite {
		before := r.before(i)
		if before == "" || joins.has(before) || before == "so" || before == "then" {
			return true
		}
		if !polite.has(before) {
			return false
		}
		i--
	}
	return false
}

// firstCommand is the index of the first verb that asks for something; behind the end for none.
func (r *Request) firstCommand() int {
	for i, w := range r.words {
		if i == longestClause {
			break
		}
		if commands.has(w.text) && r.begins(i) {
			return i
		}
	}
	return len(r.words)
}

// dictated reports whether the words at i are of a text that shall be written: behind a colon, or
// with a subject of its own, "tell Bob he must not come". noted says that nothing but "Note:" is
// before the colon.
func (r *Request) dictated(i int) (dictated, noted bool) {
	if (persons.has(r.before(i)) || r.before(i) == "you") && i >= 2 && r.writes(i-2) >= 0 {
		return true, false
	}
	for k := i; k > 0 && i-k < longestClause; k-- {
		gap := r.between(k)
		if strings.HasPrefix(gap, ":") {
			verb := r.writes(k - 1)
			alone := verb == k-1 && r.before(verb) == "" && (r.at(verb) == "note" || r.at(verb) == "reminder")
			return verb >= 0 && !alone, alone
		}
		if strings.ContainsAny(gap, ".!?;") || strings.Contains(r.text[r.words[k-1].end:r.words[k].at], "\n") {
			return false, false
		}
	}
	return false, false
}

// writes is the index of a verb of writing in the clause that goes on to i; negative for none.
// "I tell you" asks for no writing.
func (r *Request) writes(i int) int {
	clause := r.words[i].clause
	for k := i; k >= 0 && i-k < mostListed && r.words[k].clause == clause; k-- {
		w, before := r.words[k].text, r.before(k)
		if joins.has(w) {
			return -1
		}
		told := r.at(k+1) == "you" && k < i || before == "i" || before == "me" || before == "we"
		if writingVerbs.has(w) && !told && (!definite.has(before) || before == "a" || before == "an") {
			return k
		}
	}
	return -1
}
