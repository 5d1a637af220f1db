package ground

import (
	"strings"
	"unicode/utf8"
)

var (
	// titles stand before names, in English and in some other languages.
	titles = words("mr mrs ms miss mx dr doctor prof professor sir madam ma'am rev reverend mister " +
		"herr frau sr sra srta señor señora señorita mme mlle monsieur madame signor signora")
	// callings stand before names too, but may be names themselves.
	callings = words("uncle aunt auntie captain president king queen prince princess pope saint judge senator officer sergeant general " +
		"colonel major father sister brother mum mom dad grandma grandpa st mt")
	// particles lead last names.
	particles = words("van von der den ter ten de del della di da dos das do du des la le el al bin ibn zu zur af av dem dalla")
	// suffixes follow last names.
	suffixes = words("jr sr ii iii iv")
	// noNames are words with a capital in English that are no names of persons.
	noNames = words("i i'm i'll i'd i've ok okay please thanks mobile phone cell email tv pm am jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun " +
		"january february march april may june july august september october november december " +
		"monday tuesday wednesday thursday friday saturday sunday christmas easter")
	// doubles are first names of two words.
	doubles = words("mary-ann mary-anne mary-jane mary-lou mary-kate mary-beth mary-ellen mary-sue mary-jo anna-maria anna-marie " +
		"anna-lena anna-sophie ana-maria ana-maría maria-jose maria-josé maria-elena maria-luisa maria-teresa " +
		"maria-carmen maría-josé maría-jose maría-elena maría-luisa maría-teresa maría-jesús jose-luis jose-maria " +
		"jose-antonio jose-manuel jose-miguel josé-luis josé-maría josé-antonio josé-manuel josé-miguel juan-carlos " +
		"juan-pablo juan-jose juan-josé juan-manuel juan-antonio luis-miguel luis-fernando luis-alberto jean-luc " +
		"jean-pierre jean-paul jean-claude jean-marc jean-jacques jean-michel marie-claire marie-louise marie-anne " +
		"marie-france billy-bob billy-joe billy-ray billy-jean betty-lou betty-jo betty-sue peggy-sue sarah-jane " +
		"john-paul hans-peter hans-jürgen hans-joachim karl-heinz lee-ann bobby-joe bobby-ray")
)

func withoutDot(word string) string { return strings.TrimSuffix(lowered(word), ".") }

func isTitle(word string) bool { return titles.has(withoutDot(word)) }

// abbreviates reports whether a dot at a word's end is the word's.
func abbreviates(word string) bool {
	return isTitle(word) || callings.has(withoutDot(word)) || isInitial(word) || suffixes.has(withoutDot(word))
}

// isInitial reports whether a word is one letter, with a dot or without, or several with dots.
func isInitial(word string) bool {
	n := utf8.RuneCountInString(word)
	return n == 1 || n > 1 && n%2 == 0 && strings.Count(word, ".") == n/2 && strings.HasSuffix(word, ".")
}

// withoutTitles is a name without what addresses its bearer.
func withoutTitles(name []string) []string {
	for len(name) > 1 && isTitle(name[0]) {
		name = name[1:]
	}
	return name
}

// isParticle reports whether the word i of a name leads its last name. "Al" at the beginning
// is a first name.
func isParticle(name []string, i int) bool {
	w := name[i]
	return particles.has(lowered(w)) && !(i == 0 && lowered(w) == "al" && w != "al")
}

// isDouble reports whether a name begins with a first name of two words.
func isDouble(name []string) bool {
	return len(name) > 1 && doubles.has(lowered(name[0]+"-"+name[1]))
}

// isName reports whether a word of the request may be a person's name.
func isName(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	w := lowered(straight.Replace(withoutGenitive(word)))
	return isCapital(first) && !titles.has(w) && !callings.has(w) && !noNames.has(w) && !noNames.has(lowered(straight.Replace(word)))
}

// withoutGenitive is a word without 's and what quotes it.
func withoutGenitive(word string) string {
	for _, ending := range []string{"'s", "’s", "'", "’"} {
		word = strings.TrimSuffix(word, ending)
	}
	return word
}

func equalWords(x, y []string) bool {
	return lowered(strings.Join(x, " ")) == lowered(strings.Join(y, " "))
}
