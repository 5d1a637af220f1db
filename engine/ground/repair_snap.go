package ground

import (
	"slices"
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// snapOptions turns options that the request does not name into the one that it does. It knows
// English only.
func snapOptions(j *judge, rule string) {
	if !j.request.isEnglish() || !j.request.isStraight() {
		return
	}
	s := &snapper{judge: j, words: map[string][]int{}, options: map[string]int{}, tools: map[string]string{}}
	for i, w := range j.request.words {
		s.words[stem(w.text)] = append(s.words[stem(w.text)], i)
	}
	for _, c := range j.calls {
		s.count(c)
	}
	for i := range j.calls {
		if e := (&editor{j, rule, &j.calls[i]}); s.tools[e.call.Name] != differing {
			s.call(e)
		}
	}
}

// differing marks a tool with several calls.
const differing = "differing"

// count takes note of a call. Those that are but for their dates alike are one: when duplicates are dropped
// they may become one.
func (s *snapper) count(c Call) {
	alike := Call{c.Name, clone(c.Arguments)}
	for _, a := range s.judge.tools.leaves(alike) {
		if a.isOfDays() && !a.listed() {
			*a.value = *newString("")
		}
	}
	key := text(canonical(alike.Arguments))
	if before := s.tools[c.Name]; before != "" {
		if before != key {
			s.tools[c.Name] = differing
		}
		return
	}
	s.tools[c.Name] = key
	for _, a := range s.judge.tools.leaves(c) {
		for _, o := range a.options() {
			s.options[o]++
		}
	}
}

var (
	// wavering are words with which a request corrects itself, or asks for several things one after the other.
	wavering = words("wait actually sorry oops scratch mean nevermind correction first then later eventually until unless yesterday earlier")
	denying  = words("not never no nor neither without cannot none nothing wont dont cant isnt doesnt didnt")
)

// isStraight reports whether a request asks for something without leaving out, forbidding, correcting or telling anything.
func (r *Request) isStraight() bool {
	return len(r.omissions().list) == 0 && len(r.prohibitions().list) == 0 && len(r.negations()) == 0 &&
		!slices.ContainsFunc(r.words, func(w word) bool { return wavering.has(w.text) || saying.has(w.text) })
}

// snapper is what the options of calls are looked up in.
type snapper struct {
	*judge
	words   map[string][]int  // the places of the request's words, by their stems
	options map[string]int    // how many arguments of all calls can be an option
	tools   map[string]string // the one call of a tool; differing for several
	unasked []bool            // of the request's words; nil before it is looked for
}

func (s *snapper) call(e *editor) {
	for _, a := range e.leaves() {
		if !a.value.Is(jsontext.String) || s.options[a.value.Text] != 1 {
			continue
		}
		options := a.options()
		if !slices.Contains(options, a.value.Text) {
			continue
		}
		if to, ok := s.named(a.value.Text, options); ok && s.options[to] == 1 && !s.elsewhere(e, &a, to) && s.asks(&a, to) {
			e.change("the request names "+to, a.becomeText(to))
		}
	}
}

// fewestOption is how many letters an option must have that replaces another.
const fewestOption = 3

// vague are options that requests have among their words without meaning them.
var vague = words("all any other none both each every one new now the and set get auto default normal custom not more less same")

// named is the one option, besides the value, that the request names; ok is false where the
// value is named in any way.
func (s *snapper) named(value string, options []string) (option string, ok bool) {
	if s.hints(value) {
		return "", false
	}
	var found []string
	for _, o := range options {
		if o != value && len(s.mentions(o)) > 0 {
			found = append(found, o)
		}
	}
	found = slices.DeleteFunc(found, func(o string) bool { return s.within(o, found) })
	if len(found) != 1 || len([]rune(squash(found[0]))) < fewestOption || vague.has(strings.ToLower(found[0])) {
		return "", false
	}
	return found[0], true
}

// hints reports whether a value is named, be it as a part of words, in another way, or
// earlier in the conversation.
func (s *snapper) hints(value string) bool {
	short := squash(value)
	return len(s.mentions(value)) > 0 || len([]rune(short)) >= fewestOption && s.asked.contains(short) || s.meansOption(value) ||
		slices.ContainsFunc(s.request.words, func(w word) bool { // "prod" for production
			return len(w.text) >= fewestOption && !englishWords.has(w.text) && strings.HasPrefix(short, w.text)
		})
}

// mentions are where an option stands in the request as whole words, the last one perhaps with
// an ending.
func (s *snapper) mentions(option string) (list []span) {
	parts := strings.Fields(plain(option))
	if len(parts) == 0 {
		return nil
	}
	last := len(parts) - 1
	for _, at := range s.words[stem(parts[last])] {
		from := at - last
		if from >= 0 && slices.EqualFunc(s.request.words[from:at], parts[:last], func(w word, p string) bool { return w.text == p }) {
			list = append(list, span{from, at + 1})
		}
	}
	return list
}

// within reports whether an option is only named as a part of longer ones.
func (s *snapper) within(option string, others []string) bool {
	var longer []span
	for _, o := range others {
		if len(strings.Fields(plain(o))) > len(strings.Fields(plain(option))) {
			longer = append(longer, s.mentions(o)...)
		}
	}
	inside := map[int]bool{}
	for _, l := range longer {
		for i := l.from; i < l.to; i++ {
			inside[i] = true
		}
	}
	return !slices.ContainsFunc(s.mentions(option), func(m span) bool { return !inside[m.from] })
}

// byMeaning are enumerations whose options are named in their company only: "high priority".
var byMeaning = words("category type kind priority sentiment intent")

// asks reports whether every mention of an option can be meant by who asks for it.
func (s *snapper) asks(a *argument, option string) bool {
	if s.unasked == nil {
		s.unasked = s.request.unasked()
	}
	marked := ""
	for _, p := range strings.Split(a.key, "_") {
		if byMeaning.has(p) {
			marked = p
		}
	}
	key, things, beside := keyWords(a.key), thingsOf(a), false
	for _, m := range s.mentions(option) {
		if s.unasked[m.from] || later.has(s.request.at(m.to)) || s.request.words[m.from].quoted || s.described(m.from) || !s.isObject(key, things, m) {
			return false
		}
		for i := m.from - 2; i < m.to+2; i++ {
			beside = beside || marked != "" && stem(s.request.at(i)) == stem(marked)
		}
	}
	return marked == "" || beside
}

// describing words stand before what is, not what should be.
var describing = words("too is are was were it's i'm that's feels feel so very still already currently from than no not without isn't wasn't aren't " +
	"how like stop leave leaving when if while since")

// later are words behind what is not for now: "power off after an hour".
var later = words("after once when until till before if unless later in at by")

func (s *snapper) described(i int) bool {
	r := s.request
	for back := 1; back <= 2; back++ {
		if i-back >= 0 && r.words[i-back].clause == r.words[i].clause && describing.has(r.words[i-back].text) {
			return true
		}
	}
	return false
}

// elsewhere reports whether an option may belong to something else: it is in another argument,
// or it can be that of a parameter that is not there.
func (s *snapper) elsewhere(e *editor, a *argument, option string) bool {
	arguments := e.arguments()
	for _, name := range arguments.properties() {
		sibling := arguments.property(name)
		if e.call.Arguments.Last(name) == nil && slices.Contains(sibling.options(), option) {
			return true
		}
	}
	for i := range s.calls {
		c := &s.calls[i]
		if c != e.call && c.Name == e.call.Name {
			continue // it is like this one
		}
		for _, other := range s.judge.tools.leaves(*c) {
			if other.value == a.value || !other.value.Is(jsontext.String) {
				continue
			}
			// A date may have been the word that names its day.
			if strings.Contains(plain(other.value.Text), plain(option)) || namesTimes(strings.ToLower(option)) && isoDay.re().MatchString(other.value.Text) {
				return true
			}
		}
	}
	return false
}
