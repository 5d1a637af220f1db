package ground

import (
	"slices"
	"testing"
)

const textSchema = `{"type":"object","properties":{"title":{"type":"string"},"note":{"type":"string"},"message":{"type":"string"},"query":{"type":"string"},
	"city":{"type":"string"},"country":{"type":"string"},"first_name":{"type":"string"},"last_name":{"type":"string"},"email":{"type":"string"},
	"event_name":{"type":"string"},"kind":{"enum":["book","Book"]},"user_id":{"type":"string"},"day":{"type":"string"},
	"unit":{"type":"string"},"scale":{"type":"string","description":"celsius or fahrenheit"},"link":{"type":"string"},
	"tags":{"type":"array","items":{"type":"string"}},"when":{"type":"string","format":"date"},"deep":{"type":"object","properties":{"title":{"type":"string"}}}}}`

var quotedCases = []argumentCase{
	// All but case, blanks and punctuation.
	{`play "Don't Stop Me Now"`, `{"title":"dont stop me now"}`, `{"title":"Don't Stop Me Now"}`},
	{`play “Bohemian Rhapsody”`, `{"title":"bohemian rhapsody"}`, `{"title":"Bohemian Rhapsody"}`},
	{`spiele „Über den Wolken“`, `{"title":"über den wolken"}`, `{"title":"Über den Wolken"}`},
	{`joue « La Vie en rose » ce soir`, `{"title":"la vie en rose"}`, `{"title":"La Vie en rose"}`},
	{`播放「夜曲 二」`, `{"title":"夜曲二"}`, `{"title":"夜曲 二"}`},
	{`text Ana ‘I’m late!’ now`, `{"message":"I'm late"}`, `{"message":"I’m late!"}`},
	{`text Ana 'See you, Bob!' now`, `{"message":"see you bob"}`, `{"message":"See you, Bob!"}`},
	{`note "Buy milk; eggs."`, `{"note":"Buy milk, eggs."}`, `{"note":"Buy milk; eggs."}`},
	{`note "Buy milk. Call Bob."`, `{"note":"Buy milk. call Bob"}`, `{"note":"Buy milk. Call Bob."}`},
	{`add "Fizz-Buzz" and "Foo Bar"`, `{"tags":["fizz buzz","foobar"]}`, `{"tags":["Fizz-Buzz","Foo Bar"]}`},
	{`"Please text Ana 'On my way!' now"`, `{"message":"on my way"}`, `{"message":"On my way!"}`},
	{`اكتب "مرحبا، يا علي"`, `{"note":"مرحبا يا علي"}`, `{"note":"مرحبا، يا علي"}`},
	{`play "Yesterday," by the Beatles`, `{"title":"yesterday"}`, `{"title":"Yesterday"}`},
	{`in a note "Hello World"`, `{"deep":{"title":"hello world"}}`, `{"deep":{"title":"Hello World"}}`},
	// Cut off.
	{`play "The Great Gatsby"`, `{"title":"The Great"}`, `{"title":"The Great Gatsby"}`},
	{`play "The Great Gatsby"`, `{"title":"the great gat"}`, `{"title":"The Great Gatsby"}`},
	{`text 'I will be late, sorry' to Ana`, `{"message":"I will be late"}`, `{"message":"I will be late, sorry"}`},
	{`escribe «Hola, ¿qué tal?» a Ana`, `{"message":"Hola"}`, `{"message":"Hola, ¿qué tal?"}`},
	{`schreibe „Komme später, bis dann“`, `{"message":"Komme später"}`, `{"message":"Komme später, bis dann"}`},
	// Left alone.
	{`play "The Great Gatsby"`, `{"title":"The Great Gatsby"}`, ``},
	{`play "Yesterday."`, `{"title":"Yesterday"}`, ``},
	{`play "Yesterday," please`, `{"title":"Yesterday"}`, ``},
	{`play "The Great Gatsby"`, `{"title":"Gatsby"}`, ``},
	{`play "Th"`, `{"title":"T"}`, ``},
	{`find "Category theory"`, `{"query":"Cat"}`, ``},
	{`play "Hello World" or "hello, world"`, `{"title":"HELLO WORLD"}`, ``},
	{`play "Hello Dolly" or "Hello World"`, `{"title":"Hello"}`, ``},
	{`in Paris play "Paris by night"`, `{"city":"Paris"}`, ``},
	{`go to "Paris, France"`, `{"city":"Paris","country":"France"}`, ``},
	{`go to "Paris, France"`, `{"city":"Paris","query":"Paris, France"}`, ``},
	{`book for "Ada Lovelace"`, `{"first_name":"Ada"}`, ``},
	{`a "Book"`, `{"kind":"book"}`, ``},
	{`user "A B"`, `{"user_id":"ab"}`, ``},
	{`on "2024 09 25"`, `{"when":"2024-09-25"}`, ``},
	{`find "C++"`, `{"query":"C#"}`, ``},
	{`it's Bob's dog's toy`, `{"query":"s bob"}`, ``},
	{`the dogs' bowl and the cats' bed`, `{"query":"bowl and the cats"}`, ``},
	{`a 5" pipe and a 6" hose`, `{"query":"pipe and a 6"}`, ``},
	{`播放「中华人民共和国国歌」`, `{"title":"中华人"}`, ``},
	{`an unclosed "quote here`, `{"title":"Quote here"}`, ``},
	{`in "Celsius"`, `{"scale":"celsius"}`, ``},
}

func TestQuotationsAreRestored(t *testing.T) { checkArguments(t, "quoted", textSchema, quotedCases) }

func TestSpans(t *testing.T) {
	for text, want := range map[string][]string{
		`a "b" and "c d"`: {"b", "c d"},
		`“a” „b“ „c” «d» »e« 「f」 『g』 ‘h’ ‚i‘ 'j'`: {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"},
		`« a »`:                        {"a"},
		`it's a dog's 'life' isn't it`: {"life"},
		`the '90s song 'Thriller'`:     {"Thriller"},
		`say 'Don't Stop' now`:         {"Don't Stop"},
		`say ‘it’s’`:                   {"it’s"},
		`a 5" pipe`:                    nil,
		`"all of 'this' and that"`:     {"this"},
		`"all of it"`:                  nil,
		`"" '' "  "`:                   nil,
		"\"a\xff\"":                    nil,
		``:                             nil,
	} {
		var got []string
		for _, w := range spans(text) {
			got = append(got, text[w.at:w.end])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, expected %q", text, got, want)
		}
	}
}
