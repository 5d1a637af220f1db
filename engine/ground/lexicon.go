package ground

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A wordList is a list of words or phrases that a rule knows. Its set is built when it is first asked: a process that
// loads the engine pays for none of them, one that judges calls for those of its rules.
type wordList struct {
	text string
	cut  func(text string) []string
	once sync.Once
	set  map[string]bool
}

// words are the words of a text, divided by spaces.
func words(text string) *wordList { return &wordList{text: text, cut: strings.Fields} }

// names are the texts that commas divide, in plain words.
func names(text string) *wordList { return &wordList{text: text, cut: cutNames} }

func cutNames(text string) []string {
	list := strings.Split(text, ",")
	for i, name := range list {
		list[i] = plain(name)
	}
	return list
}

// stems are the stems of a text's words.
func stems(text string) *wordList { return &wordList{text: text, cut: cutStems} }

func cutStems(text string) []string {
	list := strings.Fields(text)
	for i, word := range list {
		list[i] = stem(word)
	}
	return list
}

func (l *wordList) has(word string) bool {
	l.once.Do(func() {
		l.set = map[string]bool{}
		for _, w := range l.cut(l.text) {
			l.set[w] = true
		}
	})
	return l.set[word]
}

// hasWord reports whether one of the words is in a set.
func hasWord(list []string, set *wordList) bool { return slices.ContainsFunc(list, set.has) }

// anyWord reports whether one of a request's words is in a set.
func anyWord(list []word, set *wordList) bool {
	return slices.ContainsFunc(list, func(w word) bool { return set.has(w.text) })
}

// A lazyExpression is a regular expression that is compiled when it is first used.
type lazyExpression struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

func expression(text string) *lazyExpression { return &lazyExpression{text: text} }

func (e *lazyExpression) re() *regexp.Regexp {
	e.once.Do(func() { e.compiled = regexp.MustCompile(e.text) })
	return e.compiled
}
