package prompt

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// The rules of the prompt (section 2 of the runtime contract), one test each, in the contract's order and
// with both sides of each rule. What goes beyond a rule, such as all the positions in a schema, is in the
// other files.

// Pieces

// TestRulePrefix: [system turn] user [tools block]; no blanks are put around S and T.
func TestRulePrefix(t *testing.T) {
	set, empty := mustParse(t, `[{"name":"a"}]`), mustParse(t, "[]")
	const system = "<|im_start|>system\nbe kind<|im_end|>\n"
	for _, c := range []struct {
		system string
		set    *Toolset
		want   string
	}{
		{"", nil, "<|im_start|>user"},
		{"", mustParse(t, ""), "<|im_start|>user"},
		{"", empty, "<|im_start|>user\n<tools>[]</tools>"},
		{"", set, "<|im_start|>user\n" + `<tools>[{"name":"a"}]</tools>`},
		{"be kind", nil, system + "<|im_start|>user"},
		{"be kind", set, system + "<|im_start|>user\n" + `<tools>[{"name":"a"}]</tools>`},
		{"  be kind \n", nil, "<|im_start|>system\n  be kind \n<|im_end|>\n<|im_start|>user"},
		{"null", empty, "<|im_start|>user\n<tools>[]</tools>"},
		{`{"date":"2026-09-18T09:41:07Z"}`, nil, "<|im_start|>system\ndate: 2026-09-18 Fri 09:41<|im_end|>\n<|im_start|>user"},
		{SystemText("2026-09-18T09:41"), nil, "<|im_start|>system\ndate: 2026-09-18 Fri 09:41<|im_end|>\n<|im_start|>user"},
	} {
		if got := Join(Prefix(c.system, c.set)); got != c.want {
			t.Errorf("Prefix(%q) = %q, want %q", c.system, got, c.want)
		}
	}
}

// TestRuleTurns: the first turn goes on in the open user turn, a later one opens its own, and a tool's result
// has its own turn; no blanks are put around TEXT and R.
func TestRuleTurns(t *testing.T) {
	const answer = "<|im_end|>\n<|im_start|>assistant\n"
	for _, c := range []struct {
		name      string
		piece     []Segment
		wantFirst string
	}{
		{"first", FirstTurn("hi"), "\nhi"}, {"first, blanks of its own", FirstTurn(" hi\n"), "\n hi\n"}, {"first, empty", FirstTurn(""), "\n"},
		{"later", LaterTurn("hi"), "\n<|im_start|>user\nhi"}, {"later, blanks of its own", LaterTurn(" hi\n"), "\n<|im_start|>user\n hi\n"},
		{"later, empty", LaterTurn(""), "\n<|im_start|>user\n"},
		{"tool", ToolTurn("[1]"), "\n<|im_start|>tool\n<tool_result>[1]</tool_result>"},
	} {
		if got := Join(c.piece); got != c.wantFirst+answer {
			t.Errorf("%s: %q, want %q", c.name, got, c.wantFirst+answer)
		}
	}
}

// TestRulePiecesAreTokenisedOnTheirOwn: within a piece all the text between two markers is one stretch, so
// that merges cross what it was put together from, and a piece ends where the next begins.
func TestRulePiecesAreTokenisedOnTheirOwn(t *testing.T) {
	set := mustParse(t, `[{"name":"a"}]`)
	for _, p := range [][]Segment{Prefix("x", set), Prefix("", nil), FirstTurn("x"), LaterTurn("x"), ToolTurn("[]")} {
		for i, s := range p {
			if s.Text == "" || i > 0 && s.Literal && p[i-1].Literal {
				t.Errorf("segment %d of %q", i, Join(p))
			}
		}
	}
	// "user" ends the prefix and "\n" begins the turn: as one text they could merge.
	prefix, turn := Prefix("", nil), FirstTurn("x")
	if last, first := prefix[len(prefix)-1], turn[0]; last.Text != "user" || first.Text != "\nx" {
		t.Errorf("the prefix ends with %q, the turn begins with %q", last.Text, first.Text)
	}
}

// S, the text of the system turn

// checkSystem wants S for system texts. S again is S, for sessions that are given what another one rendered.
func checkSystem(t *testing.T, cases map[string]string) {
	t.Helper()
	for system, want := range cases {
		got := SystemText(system)
		if got != want {
			t.Errorf("SystemText(%q) = %q, want %q", system, got, want)
		}
		if again := SystemText(got); again != got {
			t.Errorf("SystemText(%q) = %q, want it unchanged", got, again)
		}
	}
}

const friday = "date: 2026-09-18 Fri 09:41"

func TestRuleSystemEmptyOrNullIsNoTurn(t *testing.T) {
	checkSystem(t, map[string]string{
		"": "", "null": "", " null\n": "",
		"Null": "Null", "null and void": "null and void", `"null"`: `"null"`, "  ": "  ", "[]": "[]",
	})
	for system, turns := range map[string]int{"": 0, "null": 0, "Null": 1, " ": 1} {
		if n := strings.Count(Join(Prefix(system, nil)), "<|im_start|>system"); n != turns {
			t.Errorf("%q gives %d system turns, want %d", system, n, turns)
		}
	}
}

func TestRuleSystemObjectGivesFacts(t *testing.T) {
	checkSystem(t, map[string]string{
		// All keys, in the contract's order.
		`{"volume":10,"thermostat":9,"assistant":8,"user":7,"location":6,"network":5,"battery":4,"device":3,"locale":2,"date":1}`: "date: 1; locale: 2; device: 3; battery: 4; network: 5; location: 6; user: 7; assistant: 8; thermostat: 9; volume: 10",
		` { "user" : "Ada" } `:        "user: Ada",
		`{"network":false}`:           "network: false",
		`{"user":"a; b: c"}`:          "user: a; b: c",
		`{"user":"a","user":"b"}`:     "user: b",
		`{"user":"\u00c9\n\"\u0000"}`: "user: É\n\"\uFFFD",
		// What holds nothing is no fact.
		`{"user":null,"location":{"a":1},"device":[1],"locale":"","volume":1}`: "volume: 1",
		// What is no object is text.
		`["date"]`: `["date"]`, `{"user":"a"`: `{"user":"a"`, `{"user":"a"} x`: `{"user":"a"} x`, "{name} is kind": "{name} is kind",
		`user: Ada`: `user: Ada`,
	})
}

func TestRuleSystemNumbersKeepTheirText(t *testing.T) {
	checkSystem(t, map[string]string{
		`{"battery":0.50,"volume":1E2}`: "battery: 0.50; volume: 1E2", `{"volume":30}`: "volume: 30", `{"volume":"30%"}`: "volume: 30%",
		`{"battery":123456789012345678901234567890}`: "battery: 123456789012345678901234567890",
	})
}

func TestRuleSystemUnknownKeysAreDropped(t *testing.T) {
	checkSystem(t, map[string]string{
		`{"mood":"good","user":"Ada","User":"Bob","userId":7,"triggers":[]}`: "user: Ada",
		`{"volume":1,"unknown":{"user":"Ada"}}`:                              "volume: 1",
	})
}

func TestRuleSystemWithoutKnownKeysIsText(t *testing.T) {
	checkSystem(t, map[string]string{
		"{}": "{}", `{"mood":"good"}`: `{"mood":"good"}`, ` {"x" : 1}`: ` {"x" : 1}`,
		` {"user":null,"x":"2026-09-18T09:41"}`: ` {"user":null,"x":"2026-09-18T09:41"}`,
		`{"mood":"good","user":"Ada"}`:          "user: Ada",
	})
}

func TestRuleSystemDateGetsItsWeekday(t *testing.T) {
	checkSystem(t, map[string]string{
		`{"date":"2026-09-18T09:41"}`: friday, `{"date":"2026-09-18 09:41"}`: friday,
		`{"date":"2026-09-18T09:41:07+02:00","locale":"de-DE"}`: friday + "; locale: de-DE",
		`{"date":"Now it is 2026-09-18 09:41 in Rome"}`:         friday,
		`{"date":"2026-02-30T09:41 or 2026-09-18 09:41"}`:       friday, // the first has no such day
		// No such timestamp: the value as it is.
		`{"date":"2026-09-18 Fri 09:41"}`: friday, `{"date":"18 September"}`: "date: 18 September", `{"date":"2026-09-18"}`: "date: 2026-09-18",
		`{"date":"2026-02-30T09:41"}`: "date: 2026-02-30T09:41", `{"date":"12026-09-18T09:41"}`: "date: 12026-09-18T09:41",
		`{"date":20260918}`: "date: 20260918",
		// Of the facts, only the date.
		`{"user":"2026-09-18T09:41"}`: "user: 2026-09-18T09:41",
	})
}

func TestRuleSystemTimestampBecomesADate(t *testing.T) {
	cases := map[string]string{}
	for _, is := range []string{
		"2026-09-18T09:41", "2026-09-18 09:41", "\t2026-09-18 09:41 \n", "2026-09-18T09:41:59", "2026-09-18T09:41:59.123456789Z",
		"2026-09-18T09:41:59,5+02:00", "2026-09-18T09:41Z", "2026-09-18T09:41-0730", "2026-09-18 09:41 +02", "2026-09-18 09:41 UTC",
		"2026-09-18 09:41 UTC+02:00", "2026-09-18 09:41:00 EDT", "2026-09-18T09:41+02:00[Europe/Berlin]",
	} {
		cases[is] = friday
	}
	for _, isNot := range []string{
		"2026-09-18", "09:41", "2026-09-18t09:41", "2026-09-18  09:41", "2026-09-18T09:415", "2026-09-18T09:41:5", "2026-09-18T09:41:59.",
		"2026-09-18T09:41+2", "2026-09-18T09:41[]", "2026-09-18T09:41[a]b]", "2026-09-18T09:41.", "12026-09-18T09:41", "2026/09/18 09:41",
		"2026-02-30T09:41", "2100-02-29T09:41", "2026-13-01T09:41", "2026-09-00T09:41", "2026-09-18T24:00", "2026-09-18T09:60",
	} {
		cases[isNot] = isNot
	}
	cases["2000-02-29T00:00"] = "date: 2000-02-29 Tue 00:00"
	checkSystem(t, cases)
}

func TestRuleSystemOtherTextIsVerbatim(t *testing.T) {
	cases := map[string]string{"a\x00\xff": "a\uFFFD\uFFFD"}
	for _, text := range []string{" Be kind.\n", friday, "Now: 2026-09-18T09:41", "2026-09-18T09:41 be kind", "2026-09-18T09:41Z x",
		"Be kind. It is 2026-09-18 09:41. Be brief.", "a  b\t\r\n\n", "3", "true", `"text"`, "é日😀"} {
		cases[text] = text
	}
	checkSystem(t, cases)
}

// TestRuleSystemAddsNoDate: what is rendered depends on the texts alone.
func TestRuleSystemAddsNoDate(t *testing.T) {
	for _, system := range []string{"", "null", "be kind", `{"user":"Ada"}`, "{}"} {
		if got := Join(Prefix(system, mustParse(t, `[{"name":"a"}]`))); strings.Contains(got, "date") {
			t.Errorf("Prefix(%q) = %q: it has a date", system, got)
		}
	}
	if got := Join(Prefix(`{"date":"today"}`, nil)); !strings.Contains(got, "date: today") {
		t.Errorf("the caller's date is not in %q", got)
	}
}

// T, the text of the tools block

// checkText wants T for tools.
func checkText(t *testing.T, cases map[string]string) {
	t.Helper()
	for tools, want := range cases {
		set := mustParse(t, tools)
		if got := set.Text(); got != want || !set.Present() {
			t.Errorf("%s gives\n%s, want\n%s", tools, got, want)
		}
	}
}

// checkParameters wants the parameters of a tool on the wire.
func checkParameters(t *testing.T, cases map[string]string) {
	t.Helper()
	for parameters, want := range cases {
		set := mustParse(t, `[{"name":"f","parameters":`+parameters+`}]`)
		if got := string(set.Tools()[0].Parameters); got != want {
			t.Errorf("%s gives\n%s, want\n%s", parameters, got, want)
		}
		if want = `[{"name":"f","parameters":` + want + `}]`; set.Text() != want {
			t.Errorf("T is\n%s, want\n%s", set.Text(), want)
		}
	}
}

func TestRuleToolsWithoutInsignificantWhitespace(t *testing.T) {
	checkText(t, map[string]string{
		" [ ] ":    "[]",
		"\uFEFF[]": "[]", // a byte order mark is whitespace too, of editors
		"[ { \"name\" : \"a\" ,\r\n\t\"k\" : [ 1 , { } ] } ]": `[{"name":"a","k":[1,{}]}]`,
		`[{"name":"a","description":" x  y\n\t"}]`:            `[{"name":"a","description":" x  y\n\t"}]`, // in a string it is significant
	})
}

func TestRuleToolsAreUnwrapped(t *testing.T) {
	checkText(t, map[string]string{
		`[{"type":"function","function":{"name":"a","strict":true},"id":1},{"name":"b"}]`: `[{"name":"a","strict":true},{"name":"b"}]`,
		`[{"function":{"name":"a"}}]`:                      `[{"name":"a"}]`,
		`[{"name":"a","function":{"name":"b"}}]`:           `[{"name":"a","function":{"name":"b"}}]`, // a tool with such a key
		`[{"type":"function","name":"a","function":"b"}]`:  `[{"type":"function","name":"a","function":"b"}]`,
		`[{"type":"function","name":"a","parameters":{}}]`: `[{"type":"function","name":"a","parameters":{}}]`,
	})
}

// TestRuleToolsAreNamedObjects: what is no array of objects with a non-empty name is refused, with its place.
func TestRuleToolsAreNamedObjects(t *testing.T) {
	checkText(t, map[string]string{
		`[{"name":"a"}]`: `[{"name":"a"}]`, `[{"name":" "}]`: `[{"name":" "}]`,
		`[{"name":3,"name":"a"}]`: `[{"name":3,"name":"a"}]`, // of members of one key the last counts
	})
	for _, c := range []struct {
		text string
		at   int
	}{
		{`{"name":"a"}`, 0}, {`"x"`, 0}, {`""`, 0}, {` 3`, 1}, {"true", 0}, {`tools`, 0}, {`null x`, 5}, // no array
		{`[1]`, 1}, {`[{"name":"a"},null]`, 14}, {`["a"]`, 1}, {`[[]]`, 1}, // of something else
		{`[{}]`, 1}, {`[{"name":""}]`, 9}, {`[{"name":3}]`, 9}, {`[{"name":"a","name":null}]`, 20}, {`[{"Name":"a"}]`, 1}, // without a name
		{`[{"type":"function","function":{"description":"a"}}]`, 31}, {`[{"type":"function","function":3}]`, 1},
		{`[{"name":"a"}`, 13}, {`[{"name":"a"}] x`, 15}, {`[{"name":"a"},]`, 14}, {`[{"name":"a\q"}]`, 12}, {"[{\"name\":\"a\nb\"}]", 11}, // no JSON
		{"\uFEFF[x]", 4}, // counted in the text as given
	} {
		set, err := ParseTools(c.text)
		if set != nil || offset(err) != c.at {
			t.Errorf("%s: %v, want an error at %d", c.text, err, c.at)
		}
		if err != nil && (!strings.HasPrefix(err.Error(), "tools: at byte ") || !strings.Contains(err.Error(), "expected")) {
			t.Errorf("message %q", err)
		}
	}
}

func TestRuleTriggersAreDropped(t *testing.T) {
	checkText(t, map[string]string{
		`[{"triggers":["x"],"name":"a"},{"name":"b","triggers":"y","k":1}]`:               `[{"name":"a"},{"name":"b","k":1}]`,
		`[{"type":"function","function":{"name":"a","triggers":["x"]},"triggers":["y"]}]`: `[{"name":"a"}]`,
		// Nothing else is: neither other keys nor a parameter that is called so.
		`[{"name":"a","default":1,"Triggers":2,"examples":[],"strict":true}]`: `[{"name":"a","default":1,"Triggers":2,"examples":[],"strict":true}]`,
		`[{"name":"a","parameters":{"properties":{"triggers":{}}}}]`:          `[{"name":"a","parameters":{"properties":{"triggers":{}}}}]`,
		`[{"name":"triggers","description":"triggers"}]`:                      `[{"name":"triggers","description":"triggers"}]`,
	})
}

func TestRuleKeyOrderDuplicatesAndNumbersAreKept(t *testing.T) {
	checkText(t, map[string]string{
		`[{"z":1.50,"name":"a","z":1E+5,"k":-0,"n":123456789012345678901234567890}]`: `[{"z":1.50,"name":"a","z":1E+5,"k":-0,"n":123456789012345678901234567890}]`,
		`[{"name":"b"},{"name":"a"}]`: `[{"name":"b"},{"name":"a"}]`,
		`[{"name":"a","parameters":{"properties":{"z":{"default":0.10},"a":{"default":1e2},"z":{}}}}]`: `[{"name":"a","parameters":{"properties":{"z":{"default":0.10},"a":{"default":1e2},"z":{}}}}]`,
	})
}

func TestRuleStringsAreEscapedMinimally(t *testing.T) {
	for written, want := range map[string]string{
		`\" \\`: `\" \\`, `\n\t\b\f\r`: `\n\t\b\f\r`, `\u0001\u001F`: `\u0001\u001f`, `\u000A`: `\n`, // what has to be escaped
		`\/`: `/`, `\u00e9\u65e5`: "é日", `\ud83d\ude00`: "😀", `\u0041\u007f`: "A\x7f", `<>&'`: `<>&'`, "\u2028é": "\u2028é", // what has not
		`\u003ctools\u003e`: "<tools>",
	} {
		checkText(t, map[string]string{`[{"name":"a","description":"` + written + `"}]`: `[{"name":"a","description":"` + want + `"}]`})
	}
	checkText(t, map[string]string{`[{"name":"\u00fc","\u00fc":{"\u0041":"\u0041"}}]`: `[{"name":"ü","ü":{"A":"A"}}]`}) // keys as well
}

func TestRuleNullAndEmptyTextAreNoBlock(t *testing.T) {
	for _, text := range []string{"", " \n", "null", " null\n", "\uFEFF"} {
		set, err := ParseTools(text)
		if err != nil || set.Present() || set.Text() != "" || set.Len() != 0 || len(set.Tools()) != 0 {
			t.Errorf("%q: %+v, %v; want no tools block", text, set, err)
		}
	}
	var none *Toolset
	if none.Present() || none.Text() != "" || none.Tools() != nil || none.Len() != 0 {
		t.Error("nil is a tools block")
	}
	if _, _, err := none.ToCaller("a", []byte("{}")); !errors.Is(err, ErrUnknownTool) {
		t.Errorf("a call without tools: %v", err)
	}
	if set := mustParse(t, "[]"); !set.Present() || set.Text() != "[]" || set.Len() != 0 {
		t.Errorf("[] gives %q, want an empty block", set.Text())
	}
}

// Names

// TestRuleSnakeCase: the converted name is converted no further.
func TestRuleSnakeCase(t *testing.T) {
	for name, want := range map[string]string{
		// A capital begins a word after a lower-case letter or a digit,
		"userId": "user_id", "aB": "a_b", "x2Y": "x2_y", "A1B": "a1_b", "parseJSON": "parse_json", "Movies_3_FindMovies": "movies_3_find_movies",
		// or between a capital and a lower-case letter,
		"HTTPServer": "http_server", "ABc": "a_bc", "ThinQ_Connect": "thin_q_connect",
		// and otherwise not; nor does a digit or a lower-case letter.
		"ABC": "abc", "A": "a", "Ab": "ab", "roomID2": "room_id2", "AB2c": "ab2c", "1st": "1st", "a1b": "a1b",
		// Runs of what is neither letter nor digit are one underscore, but at the ends.
		"a.b-c d": "a_b_c_d", "a__b": "a_b", "a.-_ b": "a_b", "X-Y": "x_y", "a$B": "a_b", "_id": "id", "id_": "id", "..a..": "a", "\x00a": "a",
		"get_weather": "get_weather", "": "",
		// What would be nothing stays.
		"__": "__", "-": "-",
	} {
		if got := snakeCase(name); got != want {
			t.Errorf("snakeCase(%q) = %q, want %q", name, got, want)
		}
		if again := snakeCase(want); again != want {
			t.Errorf("snakeCase(%q) = %q, want no further change", want, again)
		}
	}
}

func TestRuleNonASCIINamesStay(t *testing.T) {
	for _, name := range []string{"größeX", "日本", "naïve Name", "_é_", "aB\u00a0", "é__2"} {
		if got := snakeCase(name); got != name {
			t.Errorf("snakeCase(%q) = %q, want it unchanged", name, got)
		}
	}
	checkText(t, map[string]string{
		`[{"name":"getGröße","parameters":{"properties":{"aÖ.B":{},"aB":{}},"required":["aÖ.B","aB"]}}]`: `[{"name":"getGröße","parameters":{"properties":{"aÖ.B":{},"a_b":{}},"required":["aÖ.B","a_b"]}}]`,
	})
}

// TestRuleNamesAreConvertedWhereTheyStand: tools, properties at every depth, required, dependentRequired and
// dependentSchemas; nothing else that looks like a name. TestParameters has the odd places.
func TestRuleNamesAreConvertedWhereTheyStand(t *testing.T) {
	checkText(t, map[string]string{
		`[{"name":"getWeather","description":"getWeather","otherKey":"getWeather"}]`: `[{"name":"get_weather","description":"getWeather","otherKey":"getWeather"}]`,
	})
	checkParameters(t, map[string]string{
		`{"properties":{"aB":{"properties":{"cD":{"items":{"properties":{"eF":{}}}}}}}}`:                `{"properties":{"a_b":{"properties":{"c_d":{"items":{"properties":{"e_f":{}}}}}}}}`,
		`{"properties":{"aB":{"required":["cD"],"properties":{"cD":{}}}},"required":["aB","xY"]}`:       `{"properties":{"a_b":{"required":["c_d"],"properties":{"c_d":{}}}},"required":["a_b","x_y"]}`,
		`{"properties":{"aB":{}},"dependentRequired":{"aB":["cD"]}}`:                                    `{"properties":{"a_b":{}},"dependentRequired":{"a_b":["c_d"]}}`,
		`{"properties":{"aB":{}},"dependentSchemas":{"aB":{"required":["cD"],"properties":{"cD":{}}}}}`: `{"properties":{"a_b":{}},"dependentSchemas":{"a_b":{"required":["c_d"],"properties":{"c_d":{}}}}}`,
		// Values and annotations stay,
		`{"properties":{"aB":{"enum":["aB"],"default":"aB","title":"aB","description":"aB","pattern":"aB","format":"aB"}}}`: `{"properties":{"a_b":{"enum":["aB"],"default":"aB","title":"aB","description":"aB","pattern":"aB","format":"aB"}}}`,
		// but for values that hold properties and have to agree with the names of the wire.
		`{"properties":{"p":{"properties":{"aB":{}},"enum":[{"aB":1}],"const":{"aB":1}}}}`:                       `{"properties":{"p":{"properties":{"a_b":{}},"enum":[{"a_b":1}],"const":{"a_b":1}}}}`,
		`{"properties":{"aB":{}},"propertyNames":{"enum":["aB","cD"]}}`:                                          `{"properties":{"a_b":{}},"propertyNames":{"enum":["a_b","cD"]}}`,
		`{"properties":{"aB":{}},"propertyNames":{"anyOf":[{"const":"aB"},{"maxLength":1}],"description":"aB"}}`: `{"properties":{"a_b":{}},"propertyNames":{"anyOf":[{"const":"a_b"},{"maxLength":1}],"description":"aB"}}`,
	})
}

func TestRuleToolsThatMeetAreAllNumbered(t *testing.T) {
	names := func(names ...string) string { return `[{"name":"` + strings.Join(names, `"},{"name":"`) + `"}]` }
	checkText(t, map[string]string{
		names("a_b", "aB"):             names("a_b__2", "a_b__1"), // by byte order: capitals before the underscore
		names("aB", "a_b"):             names("a_b__1", "a_b__2"),
		names("a_b", "aB", "c", "a.b"): names("a_b__3", "a_b__2", "c", "a_b__1"),
		names("aB", "cD"):              names("a_b", "c_d"),
		names("aB", "aB"):              names("a_b", "a_b"), // one tool, declared twice
		names("aB", "aB", "a_b"):       names("a_b__1", "a_b__1", "a_b__2"),
		names("aB", "a_b", "a_b__1"):   names("a_b__1", "a_b__2", "a_b_1"),
		names("é", "É", "e"):           names("é", "É", "e"),
	})
}

func TestRulePropertiesThatMeetAreNumberedFromTheSecond(t *testing.T) {
	checkParameters(t, map[string]string{
		`{"properties":{"user_id":{},"userId":{},"UserID":{},"b":{}},"required":["UserID","user_id"]}`: `{"properties":{"user_id":{},"user_id__2":{},"user_id__3":{},"b":{}},"required":["user_id__3","user_id"]}`,
		// The first is the first declared, though required may stand before.
		`{"required":["UserID","userId"],"properties":{"userId":{},"UserID":{}}}`: `{"required":["user_id__2","user_id"],"properties":{"user_id":{},"user_id__2":{}}}`,
		// Names that are only required or dependent come after the declared ones.
		`{"required":["userId"],"properties":{"user_id":{}}}`:                    `{"required":["user_id__2"],"properties":{"user_id":{}}}`,
		`{"required":["userId","user_id"],"dependentRequired":{"x":["UserID"]}}`: `{"required":["user_id","user_id__2"],"dependentRequired":{"x":["user_id__3"]}}`,
		// They meet within one object, not across.
		`{"properties":{"aB":{"properties":{"a_b":{},"aB":{}}},"c":{"properties":{"a_b":{}}}}}`: `{"properties":{"a_b":{"properties":{"a_b":{},"a_b__2":{}}},"c":{"properties":{"a_b":{}}}}}`,
		`{"properties":{"aB":{},"aB":{}}}`:                                     `{"properties":{"a_b":{},"a_b":{}}}`, // one property, declared twice
		`{"properties":{"aB":{},"a_b":{},"a_b__2":{}}}`:                        `{"properties":{"a_b":{},"a_b__2":{},"a_b_2":{}}}`,
		`{"properties":{"aB":{},"a_b":{}},"dependentRequired":{"a_b":["aB"]}}`: `{"properties":{"a_b":{},"a_b__2":{}},"dependentRequired":{"a_b__2":["a_b"]}}`,
	})
}

// TestRuleCallsComeBackUnderTheCallersNames, at every depth; what is not declared stays.
func TestRuleCallsComeBackUnderTheCallersNames(t *testing.T) {
	set := mustParse(t, `[{"name":"sendMail","parameters":{"properties":{
		"toAddr":{"items":{"properties":{"fullName":{},"eMail":{}}}}, "to_addr":{}, "größeX":{},
		"deep":{"properties":{"oneLevel":{"properties":{"twoLevels":{}}}}}},"required":["onlyRequired"]}},
		{"name":"aB"},{"name":"a_b"}]`)
	for _, c := range []struct{ name, args, caller, want string }{
		{"send_mail", `{"to_addr":1,"to_addr__2":2}`, "sendMail", `{"toAddr":1,"to_addr":2}`},
		{"send_mail", `{"to_addr":[{"full_name":1},{"e_mail":2}]}`, "sendMail", `{"toAddr":[{"fullName":1},{"eMail":2}]}`},
		{"send_mail", `{"deep":{"one_level":{"two_levels":{"one_level":1}}}}`, "sendMail", `{"deep":{"oneLevel":{"twoLevels":{"one_level":1}}}}`},
		{"send_mail", `{"größeX":1,"other_name":2,"to_addr__3":3}`, "sendMail", `{"größeX":1,"other_name":2,"to_addr__3":3}`},
		{"send_mail", `{"to_addr":"to_addr","to_addr__2":["full_name"]}`, "sendMail", `{"toAddr":"to_addr","to_addr":["full_name"]}`},
		{"send_mail", `{"only_required":1,"deep":{"only_required":1}}`, "sendMail", `{"onlyRequired":1,"deep":{"only_required":1}}`},
		{"a_b__1", `{}`, "aB", `{}`}, {"a_b__2", `{}`, "a_b", `{}`},
	} {
		caller, args, err := set.ToCaller(c.name, []byte(c.args))
		if err != nil || caller != c.caller || string(args) != c.want {
			t.Errorf("%s(%s) is %s(%s), %v; want %s(%s)", c.name, c.args, caller, args, err, c.caller, c.want)
		}
	}
	for _, name := range []string{"sendMail", "a_b", "aB", "a_b__3", ""} {
		if _, _, err := set.ToCaller(name, []byte("{}")); !errors.Is(err, ErrUnknownTool) {
			t.Errorf("%q, which is not on the wire: %v", name, err)
		}
	}
}

// Types

func TestRuleTypes(t *testing.T) {
	for want, names := range map[string]string{
		"string": "string char character any", "boolean": "boolean bool", "integer": "integer int long short byte",
		"number": "number float double decimal", "array": "array list tuple set string[] int[] Foo[] int[][]", "object": "object dict map",
		"null": "null none",
		// Beyond the contract: names of collections and big numbers in Java, and arguments of types.
		"array ": "ArrayList List<String> array<integer> list[int]", "object ": "HashMap Map<String,Integer> dictionary dict[str,int]",
		"integer ": "BigInteger", "number ": "BigDecimal",
	} {
		for name := range strings.FieldsSeq(names) {
			if got := schemaType(name); got != strings.TrimSpace(want) {
				t.Errorf("schemaType(%q) = %q, want %q", name, got, want)
			}
		}
	}
	for _, name := range []string{"str", "", "date", "String or null", "[", "<int>", "integers", "été", "anything", "int32", "url"} {
		if got := schemaType(name); got != name {
			t.Errorf("schemaType(%q) = %q, want it unchanged", name, got)
		}
	}
}

func TestRuleTypesIgnoreCaseBlanksDashesUnderscores(t *testing.T) {
	for name, want := range map[string]string{
		"String": "string", "STRING": "string", "Char_acter": "string", "dou ble": "number", " Float\t": "number", "I-N-T": "integer", "Int [ ]": "array",
		"__dict__": "object", "None": "null",
		"in.t": "in.t", "i/nt": "i/nt", "in\u00a0t": "in\u00a0t", "-": "-", "String, ": "String, ", // other characters count
	} {
		if got := schemaType(name); got != want {
			t.Errorf("schemaType(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestRuleTypesAreRewrittenInT, in every schema, but not elsewhere.
func TestRuleTypesAreRewrittenInT(t *testing.T) {
	checkParameters(t, map[string]string{
		`{"type":"dict","properties":{"a":{"type":"Int"},"b":{"type":"List","items":{"type":"float"}},"c":{"type":["any","None",3]}}}`: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"array","items":{"type":"number"}},"c":{"type":["string","null",3]}}}`,
		`{"properties":{"type":{"type":"bool"}},"required":["type"]}`:                                                                  `{"properties":{"type":{"type":"boolean"}},"required":["type"]}`, // a property called type
		`{"properties":{"a":{"enum":["int"],"default":"float","const":"dict","description":"any"}}}`:                                   `{"properties":{"a":{"enum":["int"],"default":"float","const":"dict","description":"any"}}}`,
		`{"properties":{"a":{"type":"str"},"b":{"type":{"a":1}}}}`:                                                                     `{"properties":{"a":{"type":"str"},"b":{"type":{"a":1}}}}`,
	})
	checkText(t, map[string]string{`[{"name":"a","type":"dict","returns":{"type":"dict"}}]`: `[{"name":"a","type":"dict","returns":{"type":"dict"}}]`})
}

// Parameters

// checkSchema wants the JSON Schema of parameters; "" for none.
func checkSchema(t *testing.T, cases map[string]string) {
	t.Helper()
	for parameters, want := range cases {
		if got := string(mustParse(t, `[{"name":"f","parameters":`+parameters+`}]`).Tools()[0].Schema); got != want {
			t.Errorf("%s is the schema %s, want %s", parameters, got, want)
		}
	}
}

func TestRuleParametersWithPropertiesAreASchema(t *testing.T) {
	checkSchema(t, map[string]string{
		`{"type":"dict","properties":{"aB":{"type":"int"}},"required":["aB"]}`: `{"type":"object","properties":{"a_b":{"type":"integer"}},"required":["a_b"]}`,
		`{"properties":{}}`: `{"properties":{}}`,
		// Keys beside properties are no parameters.
		`{"properties":{"aB":{}},"cD":{"type":"int"}}`: `{"properties":{"a_b":{}},"cD":{"type":"int"}}`,
	})
}

// TestRuleParametersWithoutPropertiesAreFlat: then the keys that are no keywords are the parameters; T keeps
// the flat form. TestFlatSchema has the odd ones.
func TestRuleParametersWithoutPropertiesAreFlat(t *testing.T) {
	checkParameters(t, map[string]string{
		`{"userId":{"type":"int","required":true},"roomName":{"type":"str"}}`: `{"user_id":{"type":"integer","required":true},"room_name":{"type":"str"}}`,
		`{"type":"dict","required":["cityName"],"cityName":{"type":"any"}}`:   `{"type":"object","required":["city_name"],"city_name":{"type":"string"}}`,
	})
	checkSchema(t, map[string]string{
		`{"userId":{"type":"int","required":true},"b":{"type":"bool"}}`:     `{"type":"object","properties":{"user_id":{"type":"integer"},"b":{"type":"boolean"}},"required":["user_id"]}`,
		`{"type":"dict","required":["cityName"],"cityName":{"type":"any"}}`: `{"type":"object","properties":{"city_name":{"type":"string"}},"required":["city_name"]}`,
		`{"minProperties":1,"a":{}}`:                                        `{"type":"object","minProperties":1,"properties":{"a":{}}}`,
	})
}

// TestRuleOtherParametersAreAnyObject: with neither, nothing is demanded of the arguments.
func TestRuleOtherParametersAreAnyObject(t *testing.T) {
	checkSchema(t, map[string]string{`{}`: `{}`, `{"type":"dict"}`: `{"type":"object"}`, `{"type":"dict","minProperties":1}`: `{"type":"object","minProperties":1}`,
		`null`: "", `true`: "true"})
	if schema := mustParse(t, `[{"name":"f"}]`).Tools()[0].Schema; schema != nil {
		t.Errorf("no parameters are the schema %s", schema)
	}
	checkText(t, map[string]string{
		`[{"name":"a","parameters":null},{"name":"b","parameters":{}},{"name":"c","parameters":true},{"name":"d"}]`: `[{"name":"a","parameters":null},{"name":"b","parameters":{}},{"name":"c","parameters":true},{"name":"d"}]`,
	})
}

// Tool results. That a result follows only delivered calls is a rule of the session; see package engine.

func TestRuleToolResultIsAnObjectOrAList(t *testing.T) {
	for text, want := range map[string]bool{
		`{"ok":true}`: true, " \r\n\t{}": true, "[]": true, "[1] \n": true,
		"": false, " ": false, "hello": false, "1": false, `"x"`: false, "true": false, "null": false, // begins with neither
		"{": false, "[1": false, "{turn on}": false, "[1] and more": false, "[1] [2]": false, "{'a':1}": false, // does not parse
		"\u00a0{}": false, "x{}": false,
	} {
		if result, ok := ToolResult(text); ok != want || ok == (result == "") {
			t.Errorf("ToolResult(%q) = %q, %v; want %v", text, result, ok, want)
		}
	}
}

func TestRuleToolResultIsCompactedAndAList(t *testing.T) {
	for text, want := range map[string]string{
		` {"ok" : true, "n":1.50}`: `[{"ok":true,"n":1.50}]`, "{}": "[{}]", // a lone object is put into a list
		"\n[ 1 ,\n2 ]\n": "[1,2]", "[]": "[]", `[{"a":1}]`: `[{"a":1}]`, "[[]]": "[[]]", // a list is not
		`{"a":"\u00e9 \/  x"}`: `[{"a":"\u00e9 \/  x"}]`, `{"b":1,"a":1E5,"b":2}`: `[{"b":1,"a":1E5,"b":2}]`, // only whitespace goes
		"[\"\xff\"]": "[\"\uFFFD\"]",
	} {
		if got, ok := ToolResult(text); got != want || !ok {
			t.Errorf("ToolResult(%q) = %q, %v; want %q", text, got, ok, want)
		}
	}
}

// Texts

// TestRuleInvalidBytesBecomeReplacements before anything sees them: invalid UTF-8 byte by byte, and NUL.
func TestRuleInvalidBytesBecomeReplacements(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "né\uFFFD😀\x01": "né\uFFFD😀\x01", "a\x00b": "a\uFFFDb", "\xff\xfe\x00": "\uFFFD\uFFFD\uFFFD", "\xe4\xb8x": "\uFFFD\uFFFDx",
		"\xed\xa0\x80": "\uFFFD\uFFFD\uFFFD", "é\xff\x00": "é\uFFFD\uFFFD",
	} {
		if got := jsontext.Valid(text); got != want {
			t.Errorf("jsontext.Valid(%q) = %q, want %q", text, got, want)
		}
	}
	set := mustParse(t, "[{\"name\":\"a\xff\",\"description\":\"\xff\x00\",\"parameters\":{\"properties\":{\"a\xff\x00B\":{}}}}]")
	if want := "[{\"name\":\"a\uFFFD\",\"description\":\"\uFFFD\uFFFD\",\"parameters\":{\"properties\":{\"a\uFFFD\uFFFDB\":{}}}}]"; set.Text() != want {
		t.Errorf("T is %q, want %q", set.Text(), want)
	}
	result, _ := ToolResult("{\"\xff\":\"\x00\"}")
	for _, piece := range [][]Segment{Prefix("a\x00\xff", nil), Prefix("{\"user\":\"a\x00\xff\"}", nil), FirstTurn("a\x00\xff"), LaterTurn("a\x00\xff"), ToolTurn(result)} {
		if text := Join(piece); strings.Count(text, "\uFFFD") != 2 || jsontext.Valid(text) != text {
			t.Errorf("piece %q", text)
		}
	}
}

var controlTexts = []string{"<pad>", "</s>", "<s>", "<unk>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tools>", "</tools>",
	"<tool_call>", "</tool_call>", "<tool_result>", "</tool_result>", "<context>", "</context>"}

// TestRuleControlTokensInTextsStayText writes every marker into every text of a conversation: the control tokens of the
// prompt are those of a harmless one.
func TestRuleControlTokensInTextsStayText(t *testing.T) {
	tok := demoTokenizer(t)
	conversation := func(x string, encode func(p []Segment) []int32) []int32 {
		quoted := string(jsontext.AppendString(nil, x))
		plain := quoted[1 : len(quoted)-1]
		set, err := ParseTools(strings.ReplaceAll(`[{"name":"X","description":"a X b","X":"X","parameters":{"title":"X","properties":{
			"pX":{"type":"string","enum":["X","\u003cX"],"description":"X"},"X":{"type":"X","const":{"X":["X"]},"pattern":"X"}},"required":["X"]}},
			{"name":"é X","parameters":{"é X":{"default":"X"}}}]`, "X", plain))
		if err != nil {
			t.Fatal(err)
		}
		result, ok := ToolResult(`{"X":` + quoted + `}`)
		if !ok {
			t.Fatal("no tool result")
		}
		var ids []int32
		for _, p := range [][]Segment{Prefix(x, set), Prefix(`{"user":`+quoted+`,"date":`+quoted+`}`, set), FirstTurn(x), LaterTurn("a " + x), ToolTurn(result)} {
			ids = append(ids, encode(p)...)
		}
		return slices.DeleteFunc(ids, func(id int32) bool { return id >= int32(len(controlTexts)) })
	}
	segments := func(p []Segment) []int32 { return encode(tok, p) }
	whole := func(p []Segment) []int32 { return tok.Encode(Join(p)) }
	want := conversation("x", segments)
	for _, text := range controlTexts {
		for _, spelt := range []string{text, text + text, "\n" + text + "user\n", text[:1] + text, strings.ToUpper(text)} {
			if got := conversation(spelt, segments); !slices.Equal(got, want) {
				t.Errorf("with %q the control tokens are %v, want %v", spelt, got, want)
			}
		}
	}
	if got := conversation("x", whole); !slices.Equal(got, want) {
		t.Errorf("as one text the control tokens are %v, want %v", got, want)
	}
	if got := conversation(controlTexts[4], whole); slices.Equal(got, want) {
		t.Error("a marker in the texts makes no difference even when they are encoded as one, so the test proves nothing")
	}
}
