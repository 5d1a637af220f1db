package ground

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// ordering verbs begin requests; setting ones say what something becomes, resulting ones do so without "to".
	ordering = words("set turn switch put change adjust move bring raise lower dim crank convert translate mark update reset bump make run use start play " +
		"brighten light order find get book show check add create buy send deploy choose select pick vacuum clean schedule increase decrease give " +
		"log record warm heat cool lock unlock search look open close power shut")
	setting   = words("set turn switch put change adjust move bring raise lower dim crank convert translate mark update reset bump deploy")
	resulting = words("set make turn switch put power shut")
	switching = words("turn switch power shut put")
	// opening words may stand before the verb.
	opening = words("please now also so ok okay hey hi kindly alright and")
	// relating words say that what follows belongs to something else, or is no request.
	relating = words("that who which whose what when where why how while if since because about near from with behind by regarding concerning like " +
		"against between than whether reminder reminders alarm timer note todo")
	determining = words("the a an my our your his her their this these all every each")
	replacing   = words("it this that them these those everything")
	placing     = words("on at in for of to into as")
	// finishing words may stand behind what is asked for.
	finishing = words("please now thanks thank immediately asap today tonight")
	// placed and sorted are keys whose options stand before nouns of the tool: "the kitchen lights".
	placed = words("room rooms area zone location place")
	sorted = words("cuisine genre size")
	// stating are keys of what is, as often as of what should be.
	stating = words("state status")
	// acting are keys whose options are what the request does: "pause the player".
	acting = words("action operation command")
)

// isObject reports whether a mention of an option is what the request wants for an argument, and no part of what it
// talks about: an adjective before something else, a piece of a name, or a state of affairs.
func (s *snapper) isObject(key []string, things map[string]bool, m span) bool {
	r := s.request
	if !r.standsApart(m) || r.denies(m.from) {
		return false
	}
	if r.assigned(key, m) {
		return !hasWord(key, stating) && s.closes(m.to, m)
	}
	if hasWord(key, acting) && r.acts(m.from) {
		return (&objectOf{s, key, things, m, m.from}).takesThing()
	}
	verb, ok := r.ordered(m.from)
	if !ok || strings.TrimSpace(r.text[r.end(m.from-1):r.words[m.from].at]) != "" && verb != m.from {
		return false
	}
	o := &objectOf{s, key, things, m, verb}
	return o.isGoal() || o.isAttribute() || o.isResult() || o.isParticle()
}

// end is where a word ends in the text; that before the first is at its start.
func (r *Request) end(i int) int {
	if i < 0 {
		return 0
	}
	return r.words[i].end
}

// standsApart reports whether no letters or marks tie words to others.
func (r *Request) standsApart(m span) bool {
	before, _ := utf8.DecodeLastRuneInString(r.text[:r.words[m.from].at])
	rest := r.text[r.words[m.to-1].end:]
	after, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, ".,;!?"))
	return (r.words[m.from].at == 0 || unicode.IsSpace(before) || before == '=' || before == ':') &&
		(after == utf8.RuneError || unicode.IsSpace(after))
}

// denies reports whether the clause of a word has a negation.
func (r *Request) denies(i int) bool {
	for k := max(0, i-longestClause); k < min(len(r.words), i+longestClause); k++ {
		if w := r.words[k]; w.clause == r.words[i].clause && (denying.has(w.text) || strings.HasSuffix(w.text, "n't")) {
			return true
		}
	}
	return false
}

// assigned reports whether a clause is nothing but a key and the words: "priority: high".
func (r *Request) assigned(key []string, m span) bool {
	if len(key) == 0 || m.from == 0 {
		return false
	}
	if mark := r.between(m.from); mark != "=" && mark != ":" {
		return false
	}
	at := m.from - 1
	for k := len(key) - 1; k >= 0 && at >= 0; k-- {
		if r.words[at].text != key[k] {
			return false
		}
		if at == 0 || r.words[at-1].clause != r.words[at].clause {
			return at == 0 || !strings.Contains(r.between(at), "(")
		}
		at--
	}
	return false
}

// ordered is the verb of the request that the words before i are about.
func (r *Request) ordered(i int) (verb int, ok bool) {
	from := i
	for ; from > 0 && r.words[from-1].clause == r.words[i].clause; from-- {
		if i-from == longestClause {
			return 0, false
		}
	}
	verb = r.opened(from)
	if verb > i || !ordering.has(r.at(verb)) {
		return 0, false
	}
	for k := verb + 1; k < i; k++ {
		if relating.has(r.words[k].text) {
			return 0, false
		}
		if r.words[k].text == "and" && ordering.has(r.at(k+1)) && k+1 < i {
			verb = k + 1
		}
	}
	return verb, true
}

// acts reports whether a word is the verb of its clause.
func (r *Request) acts(i int) bool {
	for back := 0; back <= longestWish; back++ {
		if at := i - back; at == 0 || at > 0 && r.words[at-1].clause != r.words[i].clause {
			return r.opened(at) == i
		}
	}
	return false
}

// longestWish is how many words stand before the verb of a request.
const longestWish = 8

// wishPhrases are phrases before a verb that make a request of it.
var wishPhrases = []string{"can you", "could you", "would you", "will you", "i want to", "i want you to", "i'd like to", "i'd like you to",
	"i would like to", "i would like you to", "i need to", "i need you to", "i need you", "let's", "go ahead and"}

// opened is where the verb stands in a clause that begins at i.
func (r *Request) opened(i int) int {
	skip := func() {
		for opening.has(r.at(i)) {
			i++
		}
	}
	skip()
	if end := r.longest(i, wishPhrases); end > 0 {
		i = end
		skip()
	}
	return i
}

// closes reports whether nothing about the object follows at i.
func (s *snapper) closes(i int, m span) bool {
	r := s.request
	switch w := r.at(i); {
	case i == len(r.words) || r.words[i].clause != r.words[m.from].clause || finishing.has(w):
		return true
	case w == "for":
		return r.at(i+1) == "me" || r.at(i+1) == "us"
	case w == "and":
		return ordering.has(r.at(i + 1))
	}
	return false
}

// thingsOf are the stems of the words that a tool and a parameter are described with.
func thingsOf(a *argument) map[string]bool {
	list := keyWords(a.key)
	if a.tool != nil {
		list = append(append(list, keyWords(a.tool.Name)...), strings.Fields(plain(a.tool.Description))...)
	}
	things := map[string]bool{}
	for _, w := range append(list, strings.Fields(plain(a.text()))...) {
		if len(w) >= fewestOption && !determining.has(w) && !relating.has(w) && !placing.has(w) && !finishing.has(w) {
			things[stem(w)] = true
		}
	}
	return things
}

// objectOf is a mention of an option behind a verb.
type objectOf struct {
	*snapper
	key    []string
	things map[string]bool
	span
	verb int
}

// isThing reports whether a word of the same clause is one of the tool's.
func (o *objectOf) isThing(i int) bool {
	r := o.request
	return i < len(r.words) && r.words[i].clause == r.words[o.from].clause && o.things[stem(r.words[i].text)]
}

// isHead reports whether a word is the noun of the key: "priority".
func (o *objectOf) isHead(i int) bool {
	return o.isThing(i) && len(o.key) > 0 && stem(o.request.words[i].text) == stem(o.key[len(o.key)-1])
}

// before is the first word before the mention that determines nothing.
func (o *objectOf) before() int {
	i := o.from - 1
	for i > o.verb && determining.has(o.request.at(i)) {
		i--
	}
	return i
}

// isGoal reports whether the mention stands behind "to", "in" or the key.
func (o *objectOf) isGoal() bool {
	at := o.before()
	if at <= o.verb {
		return false
	}
	switch w := o.request.at(at); {
	case w == "to" || w == "into" || w == "as" || o.isHead(at) && at == o.from-1:
		if !setting.has(o.request.at(o.verb)) {
			return false
		}
	case !placing.has(w):
		return false
	}
	if o.isHead(o.to) {
		return o.closes(o.to+1, o.span)
	}
	return o.closes(o.to, o.span) && (at == o.from-1 || hasWord(o.key, placed))
}

// isAttribute reports whether the mention stands before what it belongs to: "high priority", "the kitchen lights".
func (o *objectOf) isAttribute() bool {
	at, r := o.before(), o.request
	begins := at < o.from-1 || at == o.verb || placing.has(r.at(at)) || r.at(at) == "off"
	if !begins || !o.isThing(o.to) {
		return false
	}
	next := o.to + 1
	if !o.isThing(next) && !o.closes(next, o.span) && !placing.has(r.at(next)) && !relating.has(r.at(next)) && r.at(next) != "off" {
		return false
	}
	if hasWord(o.key, placed) || hasWord(o.key, sorted) {
		return true
	}
	return o.isHead(o.to) && !(setting.has(r.at(o.verb)) && placing.has(r.at(next)))
}

// isResult reports whether the mention is what something is made: "make the fan fast".
func (o *objectOf) isResult() bool {
	if o.from-1 <= o.verb || determining.has(o.request.at(o.from-1)) && !replacing.has(o.request.at(o.from-1)) || !resulting.has(o.request.at(o.verb)) {
		return false
	}
	for i := o.verb + 1; i < o.from; i++ {
		if w := o.request.at(i); !determining.has(w) && !replacing.has(w) && !o.isThing(i) {
			return false
		}
	}
	return o.closes(o.to, o.span)
}

// isParticle reports whether the mention belongs to the verb: "turn off the plug".
func (o *objectOf) isParticle() bool {
	r := o.request
	ofVerb := o.from == o.verb && o.to-o.from == 2 || o.from == o.verb+1 && r.at(o.from) == "off"
	return ofVerb && switching.has(r.at(o.verb)) && o.takesThing()
}

// takesThing reports whether one of the tool's things follows the mention, or nothing.
func (o *objectOf) takesThing() bool {
	r, next := o.request, o.to
	for next < len(r.words) && determining.has(r.at(next)) {
		next++
	}
	if !o.isThing(next) {
		return next == o.to && o.closes(next, o.span)
	}
	return hasWord(o.key, acting) || o.isThing(next+1) || o.closes(next+1, o.span)
}
