package ground

import (
	"strings"
	"sync"

	"github.com/libneedle/libneedle/engine/jsontext"
)

var (
	// emptying are the English words of requests for something empty.
	emptying = words("blank empty clear cleared remove delete erase reset unset wipe nothing")
	// mechanical are words in the names of properties for which a blank, or nothing, is a value
	// like others.
	mechanical = words("separator sep delimiter delim joiner glue join indent pad padding fill filler prefix suffix replacement " +
		"replace char character characters quote newline terminator eol")
	mailWords = words("mail email mails emails")
)

// dropEmpty drops optional strings that say nothing, and what stands for a mail address but
// is none.
func dropEmpty(j *judge, rule string) {
	wanted := sync.OnceValue(j.request.asksForNothing)
	eachCall(func(e *editor) { e.dropEmpty(wanted) })(j, rule)
}

func (e *editor) dropEmpty(wanted func() bool) {
	for _, a := range e.leaves() {
		if !a.value.Is(jsontext.String) || !a.isOptional() || a.listed() || a.grounded() || a.isDefault() {
			continue
		}
		switch blank := strings.TrimSpace(a.value.Text) == ""; {
		case blank && !hasWord(keyWords(a.key), mechanical) && !wanted():
			e.change("it is empty, and need not be there", a.vanish())
		case !blank && a.isMailAddress() && !strings.ContainsAny(a.value.Text, "@＠") && !strings.Contains(squash(a.text()), squash(a.value.Text)):
			e.change("it is no mail address, and need not be there", a.vanish())
		}
	}
}

// asksForNothing reports whether something in the request may be meant to be empty.
func (r *Request) asksForNothing() bool {
	for _, pair := range []string{`""`, `" "`, "“”", "''", "‘’", "«»", "「」"} {
		if strings.Contains(r.text, pair) {
			return true
		}
	}
	return anyWord(r.words, emptying)
}

// isMailAddress reports whether the name of a property says that it holds one: "email" and
// "cc_email_address" do, "email_body" does not.
func (p *place) isMailAddress() bool {
	list := keyWords(p.key)
	if n := len(list); n > 1 && list[n-1] == "address" {
		list = list[:n-1]
	}
	return len(list) > 0 && mailWords.has(list[len(list)-1])
}
