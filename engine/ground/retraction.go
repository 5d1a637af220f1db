package ground

import (
	"slices"
	"strings"
)

var (
	retracting = []string{"don't do it", "don't do that", "don't do this", "do not do it", "do not do that", "do not do this", "dont do it", "dont do that", "don't", "dont", "do not"}
	// hesitating words stand before a retraction.
	hesitating = words("no please actually but so just wait then well rather better maybe second thought thoughts")
)

// retraction is where a request that takes back its last sentence begins to: "call Bob? No, don't."; negative for nowhere.
// What is taken back are the words from an index on.
func (r *Request) retraction() (from, at int) {
	const mostRetracting = 4 // words
	for at = max(1, len(r.words)-mostRetracting); at < len(r.words); at++ {
		if r.longest(at, retracting) == len(r.words) {
			break
		}
	}
	if at >= len(r.words) || r.words[at].quoted || r.before(at) != "" && !hesitating.has(r.before(at)) {
		return 0, -1
	}
	if dictated, _ := r.dictated(at); dictated {
		return 0, -1
	}
	end := at
	for end > 0 && (hesitating.has(r.words[end-1].text) || end > 1 && r.words[end-1].text == "on" && r.at(end) == "second") {
		end--
	}
	for from = end; from > 0 && end-from < longestClause; from-- {
		if w := r.words[from-1].text; conditions.has(w) && w != "in" && w != "that" { // "if he asks, don't"
			return 0, -1
		}
		if from < end && r.words[from-1].clause != r.words[from].clause && strings.ContainsAny(r.between(from), ".!?;") {
			break
		}
	}
	if anyWord(r.words[from:at], writingVerbs) { // it may be what is written
		return 0, -1
	}
	return from, at
}

// retracts reports whether a tool's action is taken back in the end.
func (r *Request) retracts(name []string) bool {
	from, at := r.retraction()
	return at > 0 && slices.ContainsFunc(r.words[from:at], func(w word) bool { return slices.Contains(name, stem(w.text)) })
}
