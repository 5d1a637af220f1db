package ground

import "testing"

func TestDuplicates(t *testing.T) {
	const tools = `play{"properties":{"song":{"type":"string"}}}
		order{"properties":{"item":{"type":"string"},"size":{"enum":["small","large"]},"n":{"type":"number"}}}
		light{"properties":{"room":{"type":"string"},"on":{"type":"boolean"}}}`
	const (
		lamp   = `light{"room":"hall","on":true}`
		latte  = `order{"item":"latte","size":"small"}`
		water  = `order{"item":"water","n":250}`
		todo   = `play{"song":"Yesterday"}`
		inTwo  = `order{"n":2,"item":"latte"}`
		nested = `play{"song":"A","list":[{"a":1,"b":2.0}]}`
	)
	for _, c := range []struct{ text, calls, want string }{
		{"light in the hall", lamp + "\n" + lamp, lamp},
		{"light in the hall", lamp + "\n" + lamp + "\n" + lamp, lamp},
		{"light in the hall", lamp + "\n" + `light{"on":true,"room":"hall"}`, lamp},
		{"light in the hall", lamp + "\n" + todo + "\n" + lamp, lamp + "\n" + todo},
		{"light in the hall", lamp + "\n" + `light{"room":"hall","on":false}`, ""},
		{"light in the hall", lamp + "\n" + `light{"room":"Hall","on":true}`, ""},
		{"light in the hall", lamp, ""},
		{"two lattes", inTwo + "\n" + `order{"n":2.0,"item":"latte"}`, inTwo},
		{"play it", nested + "\n" + `play{"list":[{"b":2,"a":1.0}],"song":"A"}`, nested},
		{"play it", nested + "\n" + `play{"song":"A","list":[{"a":1,"b":3}]}`, ""},
		{"enciende la luz", lamp + "\n" + lamp, lamp},
		{"打开灯", lamp + "\n" + lamp, lamp},
		{"أشعل الضوء", lamp + "\n" + lamp, lamp},
		{"mach das Licht an", lamp + "\n" + lamp, lamp},
		// What the request wants so often stays.
		{"order 2 small lattes", latte + "\n" + latte, ""},
		{"order two small lattes", latte + "\n" + latte, ""},
		{"order 2 small lattes", latte + "\n" + latte + "\n" + latte, latte},
		{"one small latte and one small latte", latte + "\n" + latte, ""},
		{"log 250 ml of water twice", water + "\n" + water, ""},
		{"I drank two glasses of water, 250 ml each, log both", water + "\n" + water, ""},
		{"log 250 ml of water three times", water + "\n" + water + "\n" + water, ""},
		{"play Yesterday and then play it again", todo + "\n" + todo, ""},
		{"order a latte for 2 people", inTwo + "\n" + inTwo, inTwo},
		{"light in the hall and water", lamp + "\n" + lamp, lamp},
	} {
		want := c.want
		if want == "" {
			want = c.calls
		}
		checkRule(t, "duplicates", judged{"", c.text, tools, c.calls, want})
	}
}
