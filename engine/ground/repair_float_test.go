package ground

import "testing"

func TestFloat(t *testing.T) {
	const (
		number = `"a":{"type":"number"}`
		listed = `"a":{"type":"array","items":{"type":"number"}}`
	)
	checkRepairs(t, "float", "set", []repairCase{
		{"to 20", number, `{"a":20}`, `{"a":20.0}`},
		{"to 0", number, `{"a":0}`, `{"a":0.0}`},
		{"to -7", number, `{"a":-7}`, `{"a":-7.0}`},
		{"to -0", number, `{"a":-0}`, `{"a":-0.0}`},
		{"to much", number, `{"a":123456789012345678901234567890}`, `{"a":123456789012345678901234567890.0}`},
		{"to 20.5", number, `{"a":20.5}`, ""},
		{"to 20.0", number, `{"a":20.0}`, ""},
		{"to 1e3", number, `{"a":1e3}`, ""},
		{"to 1E-2", number, `{"a":1E-2}`, ""},
		{"to 20", `"a":{"type":"integer"}`, `{"a":20}`, ""},
		{"to 20", `"a":{"type":["integer","number"]}`, `{"a":20}`, ""},
		{"to 20", `"a":{"type":["number","null"]}`, `{"a":20}`, `{"a":20.0}`},
		{"to nothing", `"a":{"type":["number","null"]}`, `{"a":null}`, ""},
		{"to 20", `"a":{"type":"string"}`, `{"a":"20"}`, ""},
		{"to 20", `"a":{}`, `{"a":20}`, ""},
		{"to 20", `"a":{"type":"number","enum":[20,30]}`, `{"a":20}`, ""},
		{"to 20", `"a":{"type":"number","const":20}`, `{"a":20}`, ""},
		{"to 20", `"a":{"anyOf":[{"type":"integer"},{"type":"string"}]}`, `{"a":20}`, ""},
		{"to 20", `"a":{"anyOf":[{"type":"number"},{"type":"string"}]}`, `{"a":20}`, `{"a":20.0}`},
		{"to 1, 2.5 and 3", listed, `{"a":[1,2.5,3]}`, `{"a":[1.0,2.5,3.0]}`},
		{"to none", listed, `{"a":[]}`, ""},
		{"to 4", `"o":{"type":"object","properties":{"b":{"type":"number"},"c":{"type":"integer"}}}`, `{"o":{"b":4,"c":4}}`, `{"o":{"b":4.0,"c":4}}`},
		// A number is one in every language.
		{"把温度调到20", number, `{"a":20}`, `{"a":20.0}`},
		{"auf 20 stellen", number, `{"a":20}`, `{"a":20.0}`},
	})
}
