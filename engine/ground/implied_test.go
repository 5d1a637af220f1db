package ground

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// impliedOf is what the schema of one property gets.
func impliedOf(t testing.TB, name, schema string) (options []any, low, high any, added bool) {
	t.Helper()
	whole := fmt.Sprintf(`{"type":"object","properties":{%q:%s}}`, name, schema)
	text := NewTools([]Tool{{Name: "f", Schema: []byte(whole)}}).Implied("f")
	if text == nil {
		return nil, nil, nil, false
	}
	var got struct {
		Properties map[string]map[string]any
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	p := got.Properties[name]
	options, _ = p["enum"].([]any)
	return options, p["minimum"], p["maximum"], true
}

func described(description string) string {
	b, _ := json.Marshal(map[string]string{"type": "string", "description": description})
	return string(b)
}

func TestImpliedOptions(t *testing.T) {
	for _, c := range []struct{ description, want string }{
		{"one of 'low', 'high'", "low high"},
		{`One of "low", "medium" or "high".`, "low medium high"},
		{"Priority, one of ‘low’, ‘high’", "low high"},
		{"Priority: one of “low”, “high”", "low high"},
		{"one of „low“, „high“", "low high"},
		{"one of «low», «high»", "low high"},
		{"one of `low`, `high`", "low high"},
		{"Either 'celsius' or 'fahrenheit'", "celsius fahrenheit"},
		{"Sort order. Options: 'asc', 'desc'", "asc desc"},
		{"Valid values are 'a', 'b' and 'c'", "a b c"},
		{"Choose between 'day' and 'night'", "day night"},
		{"choose from: 'day'/'night'", "day night"},
		{"The mode (allowed values: 'on', 'off')", "on off"},
		{"Can be 'on' or 'off'", "on off"},
		{"must be either 'on' or 'off'", "on off"},
		{"can be set to 'on' or 'off'", "on off"},
		{"Possible values: ['one', 'two']", "one two"},
		{"The user's choice: one of 'x', 'y'", "x y"},
		{"How to sort. One of 'asc', 'desc'. The unit is rows.", "asc desc"},
		{"Unit (one of 'km', 'mi').", "km mi"},
		{"one of 'ja', 'nein' und 'größer'", "ja nein größer"},
		{"one of 'on', 'off', 'on'", "on off"},
		// Not complete, or about something else.
		{"e.g. 'low', 'high'", ""},
		{"one of several levels, e.g. 'low', 'high'", ""},
		{"one of the levels, such as 'low', 'high'", ""},
		{"one of the levels, for example 'low', 'high'", ""},
		{"one of the levels, for instance 'low', 'high'", ""},
		{"one of 'low', 'high', etc.", ""},
		{"one of 'low', 'high', ...", ""},
		{"one of 'low', 'high' or any text", ""},
		{"one of 'low', 'high' or a number", ""},
		{"one of 'low', 'high', medium", ""},
		{"one of 'low', 'high'; custom levels work too", ""},
		{"either a name or 'all' or 'none'", ""},
		{"one of 'kitchen', 'living room', 'bedroom'", ""},
		{"one of 'low', 'a level that has a long description'", ""},
		{"must not be 'root' or 'admin'", ""},
		{"Can be used with 'get' or 'put'", ""},
		{"can't be one of 'a', 'b'", ""},
		{"must be between 'a' and 'z'", ""},
		{"one of the letters 'a' to 'z'", ""},
		{"one of 'low'", ""},
		{"'low', 'high'", ""},
		{"one of low, high", ""},
		{"The option that the user chose. Say 'please' or 'thanks'.", ""},
		{"one of ''", ""},
		{"don't say one of 'low', 'high'", ""},
		{"One of \"red\", \"green\". Also hex codes.", ""},
		{"One of 'red', 'green'. Hex codes work, too.", ""},
		{"One of 'red', 'green' and hex codes", ""},
		{"One of 'red', 'green'; hex codes", ""},
		{"One of 'red', 'green': the colors of the lamp", ""},
		{"One of 'red', 'green' - or hex", ""},
		{"Can be 'asc' or 'desc' followed by a field name", ""},
		{"May be 'start' or 'stop' with a service name", ""},
		{"can be 'today' or 'tomorrow', dates work as well", ""},
		{"options are 'json' or 'csv' (case insensitive)", ""},
		{"One of the codes that 'iso' and 'w3c' define", ""},
		{"One of the codes of 'iso' and 'w3c'", ""},
		{"One of the values in column 'a', 'b'", ""},
		{"one of 'asc' for ascending, 'desc' for descending", ""},
		{"one of 'a' followed by 'b'", ""},
		{"A hex code or one of 'red', 'green'", ""},
		{"Columns, each one of 'a', 'b'", ""},
		{"The prefix must be 'a' or 'b'", ""},
		{"", ""},
	} {
		options, _, _, _ := impliedOf(t, "x", described(c.description))
		if got := strings.Trim(fmt.Sprint(options), "[]"); got != c.want {
			t.Errorf("%q: options %q, expected %q", c.description, got, c.want)
		}
	}
}

// What a schema says itself is not added to.
func TestImpliedGivesWay(t *testing.T) {
	text, percent := `"type":"string","description":"one of 'a', 'b'"`, `"type":"integer"`
	for _, c := range []struct {
		name, schema string
		added        bool
	}{
		{"x", "{" + text + "}", true},
		{"x", "{" + text + `,"title":"a"}`, true},
		{"x", "{" + text + `,"default":"a"}`, true},
		{"x", "{" + text + `,"default":"c"}`, false},
		{"x", "{" + text + `,"examples":["a","b"]}`, true},
		{"x", "{" + text + `,"examples":["a","c"]}`, false},
		{"x", "{" + text + `,"enum":["a","b","c"]}`, false},
		{"x", "{" + text + `,"const":"c"}`, false},
		{"x", "{" + text + `,"pattern":"^c"}`, false},
		{"x", "{" + text + `,"format":"date"}`, false},
		{"x", "{" + text + `,"maxLength":3}`, false},
		{"x", "{" + text + `,"anyOf":[{}]}`, false},
		{"x", "{" + text + `,"$ref":"#"}`, false},
		{"x", "{" + text + `,"grounded":true}`, false},
		{"x", `{"type":["string","null"],"description":"one of 'a', 'b'"}`, false},
		{"x", `{"description":"one of 'a', 'b'"}`, false},
		{"x", `{"type":"integer","description":"one of '1', '2'"}`, false},
		{"percent", "{" + percent + "}", true},
		{"percent", "{" + percent + `,"default":50}`, true},
		{"percent", "{" + percent + `,"default":150}`, false},
		{"percent", "{" + percent + `,"default":-1}`, false},
		{"percent", "{" + percent + `,"examples":[10,200]}`, false},
		{"percent", "{" + percent + `,"minimum":-5}`, false},
		{"percent", "{" + percent + `,"maximum":500}`, false},
		{"percent", "{" + percent + `,"exclusiveMinimum":0}`, false},
		{"percent", "{" + percent + `,"multipleOf":5}`, false},
		{"percent", "{" + percent + `,"enum":[1,200]}`, false},
		{"percent", "{" + percent + `,"description":"from 1 to 500"}`, false},
		{"percent", "{" + percent + `,"description":"negative to dim"}`, false},
		{"percent", "{" + percent + `,"description":"how bright"}`, true},
		{"percent", `{"type":"string"}`, false},
		{"percent", `{"type":["integer","null"]}`, false},
	} {
		if _, _, _, added := impliedOf(t, c.name, c.schema); added != c.added {
			t.Errorf("%s %s: added %v", c.name, c.schema, added)
		}
	}
}

func TestImpliedBounds(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"volume level brightness percent percentage Percent battery_percent light_level tv_volume speaker_volume brightness_percent", "0 100"},
		{"rating", "1 5"},
		{"minute minutes second seconds hour hours day days duration count duration_minutes timeout_seconds repeat_count num_days", "0 <nil>"},
		{"x discount account temperature year yearly monday levels water_volume volume_liters floor_level sea_level user_rating ratings minuteness", "<nil> <nil>"},
		{"utc_offset_hours day_offset days_delta brightness_change percent_change volume_step hours_difference count_diff percent_growth level_adjustment", "<nil> <nil>"},
	} {
		for _, name := range strings.Fields(c.names) {
			for _, kind := range []string{"integer", "number"} {
				_, low, high, _ := impliedOf(t, name, fmt.Sprintf(`{"type":%q}`, kind))
				if got := fmt.Sprint(low, " ", high); got != c.want {
					t.Errorf("%s %s: bounds %s, expected %s", kind, name, got, c.want)
				}
			}
		}
	}
}

// At every depth, and nowhere else: the rest of the schema keeps its bytes.
func TestImpliedAtEveryDepth(t *testing.T) {
	inner := `{"type":"integer"`
	for _, frame := range []string{
		`{"type":"object","properties":{"percent":%s}}}`,
		`{"type":"object","properties":{"a":{"type":"object","properties":{"percent":%s}}}}}`,
		`{"type":"array","items":{"type":"object","properties":{"percent":%s}}}}`,
		`{"$defs":{"a":{"properties":{"percent":%s}}}}}`,
		`{"anyOf":[{"properties":{"percent":%s}}}]}`,
		`{"type":"object","properties":{"b":{"enum":[{"properties":{"percent":{"type":"integer"}}}]},"percent":%s}}}`,
	} {
		schema := fmt.Sprintf(frame, inner)
		want := strings.Replace(schema, inner, inner, 1)
		at := strings.LastIndex(want, inner) + len(inner)
		want = want[:at] + `,"minimum":0,"maximum":100` + want[at:]
		tools := NewTools([]Tool{{Name: "f", Schema: []byte(schema)}})
		if got := tools.Implied("f"); string(got) != want {
			t.Errorf("%s\nbecame %s", schema, got)
		}
		if again := NewTools([]Tool{{Name: "f", Schema: []byte(want)}}).Implied("f"); again != nil {
			t.Errorf("%s: added to twice: %s", schema, again)
		}
		if !bytes.Equal(tools.Implied("f"), tools.Implied("f")) {
			t.Error("the tools changed")
		}
	}
	tools := NewTools([]Tool{{Name: "f"}, {Name: "g", Schema: []byte("{")}, {Name: "h", Schema: []byte(`{"enum":[{"properties":{"percent":{"type":"integer"}}}]}`)}})
	for _, name := range []string{"f", "g", "h", "none"} {
		if got := tools.Implied(name); got != nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestImpliedOfHostileTextsInTime(t *testing.T) {
	begin := time.Now()
	for _, part := range []string{"one of 'a', ", "'", "one of ", "„", "e. ", "'a' to ", "must be "} {
		impliedOf(t, "x", described("one of "+strings.Repeat(part, 1<<17/len(part))))
	}
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestNamed(t *testing.T) {
	for _, c := range []struct {
		option, conversation string
		want                 bool
	}{
		{"on", "turn it on", true}, {"on", "On!", true}, {"on", "only", false}, {"on", "carton", false},
		{"red", "Red.", true}, {"red", "bored", false}, {"four", "fourteen", false}, {"light", "lights", true}, {"light", "moonlight", true},
		{"living room", "the LIVING-ROOM", true}, {"living_room", "living   room", true}, {"living room", "livingroom", false},
		{"a b", "a b", true}, {"a b", "a bc", false}, {"größe", "GRÖßE", true}, {"ölig", "Ölig", true}, {"ölig", "völlig", false},
		{"", "anything", false}, {"-", "a-b", false}, {"$", "5 $", false}, {"10", "at 10:30", true}, {"10", "100", false}, {"10.5", "10.5 m", true},
		{"客厅", "打开 客厅 灯", true}, {"客厅", "打开客厅灯", false}, {"客厅里的灯", "打开客厅里的灯吧", true}, {"нет", "НЕТ", true}, {"غرفة النوم", "في غرفة النوم", true},
		{"COLD_WATER", "some cold water", true}, {"turn_on", "return on", true}, {"auto_mode", "semiauto modes", true},
	} {
		talk := NewTurn("", []string{"hello", c.conversation}, true)
		if got := len(talk.Named([]string{c.option})) == 1; got != c.want {
			t.Errorf("%q in %q: named %v", c.option, c.conversation, got)
		}
	}
	talk := NewTurn("volume: 3", []string{"red then blue", `[{"state":"green"}]`}, false)
	if got := fmt.Sprint(talk.Named([]string{"green", "white", "blue", "red", "volume"})); got != "[green blue red volume]" {
		t.Errorf("named %s: in their order, in all of the conversation", got)
	}
}

// Numbers whose descriptions speak of another quantity keep their ranges.
func TestImpliedBoundsGiveWayToDescriptions(t *testing.T) {
	for _, c := range []struct{ name, description, want string }{
		{"rating", "IMDb rating of the movie", ""}, {"rating", "Elo rating", ""}, {"rating", "Rating in stars out of ten", ""},
		{"rating", "How many stars the guest gives", "1 5"}, {"rating", "", "1 5"}, {"elo_rating", "", ""},
		{"volume", "Trading volume", ""}, {"volume", "Volume of the tank in litres", ""}, {"volume", "Volume of the sound in dB", ""},
		{"volume", "Volume of the speaker", "0 100"}, {"volume", "Volume in percent", "0 100"}, {"volume", "The volume", ""},
		{"level", "Character level", ""}, {"level", "Floor, lower ones are basements", ""}, {"level", "Level of the light", "0 100"},
		{"level", "How much", ""}, {"audio_level", "Level in decibels", ""}, {"audio_level", "", "0 100"}, {"audioLevel", "dBFS of the speaker", ""},
		{"brightness", "Hue brightness", ""}, {"brightness", "Screen brightness in nits", ""}, {"brightness", "Brightness of the lamp", "0 100"},
		{"brightness", "Brightness of the lamp in lumens", ""}, {"percent", "Price change", ""}, {"percentage", "Annual return", ""},
		{"percentage", "Battery charge", "0 100"}, {"zoom_percent", "", ""}, {"percent", "Zoom of the screen", ""},
		{"volume_percent", "Volume of the player, may be amplified", ""}, {"volume_percent", "Speaker volume, can be boosted", ""},
		{"volume_percent", "Speaker volume", "0 100"}, {"seconds", "How far to skip, less than zero to go back", ""}, {"seconds", "Seconds to skip", ""},
		{"seconds", "How long to wait", "0 <nil>"}, {"days", "Days relative to today", ""}, {"days", "Days before today", ""}, {"days", "", "0 <nil>"},
		{"hour", "Difference to the time of London", ""}, {"hour", "Timezone", ""}, {"count", "Change of the stock", ""}, {"count", "Signed count", ""},
		{"count", "How many eggs", "0 <nil>"}, {"skip_seconds", "", ""}, {"days_ago", "", ""}, {"trading_volume", "", ""},
	} {
		schema, _ := json.Marshal(map[string]string{"type": "number", "description": c.description})
		if c.description == "" {
			schema = []byte(`{"type":"number"}`)
		}
		_, low, high, added := impliedOf(t, c.name, string(schema))
		got := ""
		if added {
			got = fmt.Sprint(low, " ", high)
		}
		if got != c.want {
			t.Errorf("%s, %q: bounds %q, expected %q", c.name, c.description, got, c.want)
		}
	}
}
