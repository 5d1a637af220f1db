package prompt

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestParameters has a case for each position in which names and types are converted.
func TestParameters(t *testing.T) {
	for _, c := range []struct{ name, parameters, want string }{
		{"properties, required", `{"type":"dict","properties":{"userId":{"type":"Int"}},"required":["userId","roomNo"]}`,
			`{"type":"object","properties":{"user_id":{"type":"integer"}},"required":["user_id","room_no"]}`},
		{"properties that meet", `{"properties":{"user_id":{},"userId":{},"UserID":{},"b":{}},"required":["UserID","user_id"]}`,
			`{"properties":{"user_id":{},"user_id__2":{},"user_id__3":{},"b":{}},"required":["user_id__3","user_id"]}`},
		{"required first, declared order counts", `{"required":["UserID","userId"],"properties":{"userId":{},"UserID":{}}}`,
			`{"required":["user_id__2","user_id"],"properties":{"user_id":{},"user_id__2":{}}}`},
		{"nested", `{"properties":{"aB":{"type":"list","items":{"type":"map","properties":{"cD":{"type":"float"}}}}}}`,
			`{"properties":{"a_b":{"type":"array","items":{"type":"object","properties":{"c_d":{"type":"number"}}}}}}`},
		{"same names at different places", `{"properties":{"aB":{"properties":{"a_b":{},"aB":{}}},"a_b":{}}}`,
			`{"properties":{"a_b":{"properties":{"a_b":{},"a_b__2":{}}},"a_b__2":{}}}`},
		{"type lists", `{"properties":{"a":{"type":["int","None",3]}}}`, `{"properties":{"a":{"type":["integer","null",3]}}}`},
		{"a property called type", `{"properties":{"type":{"type":"bool"},"properties":{"type":"int"},"required":{"type":"int"}},"required":["type"]}`,
			`{"properties":{"type":{"type":"boolean"},"properties":{"type":"integer"},"required":{"type":"integer"}},"required":["type"]}`},
		{"values are no types", `{"properties":{"a":{"enum":["int","aB"],"default":"float","const":"dict","description":"aB int"}}}`,
			`{"properties":{"a":{"enum":["int","aB"],"default":"float","const":"dict","description":"aB int"}}}`},
		{"dependents", `{"properties":{"aB":{}},"dependentRequired":{"aB":["cD"]},"dependentSchemas":{"cD":{"properties":{"eF":{"type":"int"}}}},"dependencies":{"aB":["eF"]}}`,
			`{"properties":{"a_b":{}},"dependentRequired":{"a_b":["c_d"]},"dependentSchemas":{"c_d":{"properties":{"e_f":{"type":"integer"}}}},"dependencies":{"a_b":["e_f"]}}`},
		{"branches share names", `{"anyOf":[{"properties":{"aB":{}},"required":["aB"]},{"properties":{"a_b":{}},"required":["a_b"]}],"properties":{"x":{}}}`,
			`{"anyOf":[{"properties":{"a_b":{}},"required":["a_b"]},{"properties":{"a_b__2":{}},"required":["a_b__2"]}],"properties":{"x":{}}}`},
		{"$ref and $defs", `{"$defs":{"Node":{"properties":{"nextNode":{"$ref":"#/$defs/Node"}}}},"$ref":"#/$defs/Node"}`,
			`{"$defs":{"Node":{"properties":{"next_node":{"$ref":"#/$defs/Node"}}}},"$ref":"#/$defs/Node"}`},
		{"$ref through names", `{"properties":{"homeAddress":{"properties":{"zipCode":{"type":"int"}}},"work":{"$ref":"#/properties/homeAddress"},"zip":{"$ref":"#/properties/homeAddress/properties/zipCode"}}}`,
			`{"properties":{"home_address":{"properties":{"zip_code":{"type":"integer"}}},"work":{"$ref":"#/properties/home_address"},"zip":{"$ref":"#/properties/home_address/properties/zip_code"}}}`},
		{"names of a reference come later", `{"properties":{"p":{"properties":{"aB":{}},"$ref":"#/$defs/D"}},"$defs":{"D":{"properties":{"a_b":{}}}}}`,
			`{"properties":{"p":{"properties":{"a_b":{}},"$ref":"#/$defs/D"}},"$defs":{"D":{"properties":{"a_b__2":{}}}}}`},
		{"names of a reference come first", `{"$defs":{"D":{"properties":{"x":{},"a_b":{}}}},"properties":{"p":{"properties":{"aB":{}},"$ref":"#/$defs/D"}}}`,
			`{"$defs":{"D":{"properties":{"x":{},"a_b":{}}}},"properties":{"p":{"properties":{"a_b__2":{}},"$ref":"#/$defs/D"}}}`},
		{"elements and free values of a reference", `{"$defs":{"D":{"items":{"properties":{"aB":{}}},"additionalProperties":{"properties":{"cD":{}}}}},"properties":{"p":{"$ref":"#/$defs/D","items":{"properties":{"a_b":{}}},"additionalProperties":{"properties":{"c_d":{}}}}}}`,
			`{"$defs":{"D":{"items":{"properties":{"a_b":{}}},"additionalProperties":{"properties":{"c_d":{}}}}},"properties":{"p":{"$ref":"#/$defs/D","items":{"properties":{"a_b__2":{}}},"additionalProperties":{"properties":{"c_d__2":{}}}}}}`},
		{"$ref with escapes", `{"properties":{"a/B":{"type":"int"},"c":{"$ref":"#/properties/a~1B"},"d":{"$ref":"#/properties/a%7E1B"}}}`,
			`{"properties":{"a_b":{"type":"integer"},"c":{"$ref":"#/properties/a_b"},"d":{"$ref":"#/properties/a_b"}}}`},
		{"$ref through a list", `{"anyOf":[true,{"properties":{"aB":{"type":"int"}}}],"properties":{"c":{"$ref":"#/anyOf/1/properties/aB"},"d":{"$ref":"#/anyOf/2"},"e":{"$ref":"#/anyOf/x"},"f":{"$ref":"#/anyOf/0/x"}}}`,
			`{"anyOf":[true,{"properties":{"a_b":{"type":"integer"}}}],"properties":{"c":{"$ref":"#/anyOf/1/properties/a_b"},"d":{"$ref":"#/anyOf/2"},"e":{"$ref":"#/anyOf/x"},"f":{"$ref":"#/anyOf/0/x"}}}`},
		{"$ref into flat parameters", `{"aB":{"properties":{"cD":{}}},"e":{"$ref":"#/aB/properties/cD"}}`,
			`{"a_b":{"properties":{"c_d":{}}},"e":{"$ref":"#/a_b/properties/c_d"}}`},
		{"$ref that leads nowhere", `{"properties":{"aB":{"$ref":"#/$defs/x"},"b":{"$ref":"http://x/y"},"c":{"$ref":"#here"},"d":{"$ref":7}}}`,
			`{"properties":{"a_b":{"$ref":"#/$defs/x"},"b":{"$ref":"http://x/y"},"c":{"$ref":"#here"},"d":{"$ref":7}}}`},
		{"$ref to what no keyword leads to", `{"types":{"T":{"properties":{"aB":{"type":"int"}}}},"properties":{"x":{"$ref":"#/types/T"}}}`,
			`{"types":{"T":{"properties":{"a_b":{"type":"integer"}}}},"properties":{"x":{"$ref":"#/types/T"}}}`},
		{"enum of objects", `{"properties":{"p":{"properties":{"aB":{}},"enum":[{"aB":1,"cD":2},"aB",null],"const":{"aB":{"aB":1}}}}}`,
			`{"properties":{"p":{"properties":{"a_b":{}},"enum":[{"a_b":1,"cD":2},"aB",null],"const":{"a_b":{"aB":1}}}}}`},
		{"patterns stay", `{"patternProperties":{"^aB":{"properties":{"cD":{"type":"int"}}}},"properties":{}}`,
			`{"patternProperties":{"^aB":{"properties":{"c_d":{"type":"integer"}}}},"properties":{}}`},
		{"duplicate keys", `{"properties":{"aB":{"type":"int"},"aB":{"type":"bool"}},"properties":{"aB":{}}}`,
			`{"properties":{"a_b":{"type":"integer"},"a_b":{"type":"boolean"}},"properties":{"a_b":{}}}`},
		{"malformed keywords stay", `{"properties":[{"aB":1}],"required":"aB","type":{"a":1},"dependentRequired":["aB"],"enum":{"aB":1},"items":3}`,
			`{"properties":[{"aB":1}],"required":"a_b","type":{"a":1},"dependentRequired":["aB"],"enum":{"aB":1},"items":3}`},
		{"flat", `{"userId":{"type":"int","required":true},"roomName":{"type":"str","description":"x"}}`,
			`{"user_id":{"type":"integer","required":true},"room_name":{"type":"str","description":"x"}}`},
		{"flat with keywords", `{"type":"dict","required":["cityName"],"description":"d","cityName":{"type":"any"}}`,
			`{"type":"object","required":["city_name"],"description":"d","city_name":{"type":"string"}}`},
		{"keywords alone", `{"type":"dict","minProperties":1}`, `{"type":"object","minProperties":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := ParseTools(`[{"name":"f","parameters":` + c.parameters + `}]`)
			if err != nil {
				t.Fatal(err)
			}
			want := `[{"name":"f","parameters":` + c.want + `}]`
			if got := set.Text(); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
			if got := string(set.Tools()[0].Parameters); got != c.want {
				t.Errorf("Parameters are %s", got)
			}
		})
	}
}

// TestSubschemaPositions converts a property below each keyword that holds schemas.
func TestSubschemaPositions(t *testing.T) {
	one := []string{"items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties",
		"propertyNames", "not", "if", "then", "else", "contentSchema"}
	list := []string{"prefixItems", "allOf", "anyOf", "oneOf", "items"}
	named := []string{"$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies", "properties"}
	const from, to = `{"properties":{"aB":{"type":"int"}},"required":["aB"]}`, `{"properties":{"a_b":{"type":"integer"}},"required":["a_b"]}`
	check := func(keyword, shape string) {
		parameters := fmt.Sprintf(`{"properties":{"p":{%q:%s}}}`, keyword, shape)
		set, err := ParseTools(`[{"name":"f","parameters":` + strings.ReplaceAll(parameters, "@", from) + `}]`)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(parameters, "@", to)
		if got := string(set.Tools()[0].Parameters); got != want {
			t.Errorf("%s: %s, want %s", keyword, got, want)
		}
	}
	for _, k := range one {
		check(k, "@")
	}
	for _, k := range list {
		check(k, "[@,@]")
	}
	for _, k := range named {
		check(k, `{"x":@,"y":@}`)
	}
}

func TestFlatSchema(t *testing.T) {
	for _, c := range [][2]string{
		{`{"userId":{"type":"int","required":true},"b":{"type":"bool","required":false}}`,
			`{"type":"object","properties":{"user_id":{"type":"integer"},"b":{"type":"boolean"}},"required":["user_id"]}`},
		{`{"type":"dict","required":["b"],"b":{"type":"int"},"aB":{"required":true}}`,
			`{"type":"object","properties":{"b":{"type":"integer"},"a_b":{}},"required":["b","a_b"]}`},
		{`{"city":"The city","n":"Int","any":true,"list":[1]}`,
			`{"type":"object","properties":{"city":{"description":"The city"},"n":{"type":"integer"},"any":true,"list":{}}}`},
		{`{"title":{"type":"string"},"format":{"type":"string"},"x":{}}`,
			`{"type":"object","properties":{"title":{"type":"string"},"format":{"type":"string"},"x":{}}}`},
		{`{"title":"a title","x":{"required":["aB"]}}`, `{"type":"object","title":"a title","properties":{"x":{"required":["a_b"]}}}`},
		{`{"aB":{"properties":{"cD":{}}},"e":{"$ref":"#/aB/properties/cD"},"f":{"$ref":"#/$defs/x"},"$defs":{"x":{}}}`,
			`{"type":"object","$defs":{"x":{}},"properties":{"a_b":{"properties":{"c_d":{}}},"e":{"$ref":"#/properties/a_b/properties/c_d"},"f":{"$ref":"#/$defs/x"}}}`},
		{`{"Type":{"type":"int"},"Properties":{"type":"str"},"required":["Type"]}`,
			`{"type":"object","properties":{"type":{"type":"integer"},"properties":{"type":"str"}},"required":["type"]}`},
		{`{"properties":{"aB":{}}}`, `{"properties":{"a_b":{}}}`}, {`{}`, `{}`}, {`{"type":"object"}`, `{"type":"object"}`},
	} {
		set, err := ParseTools(`[{"name":"f","parameters":` + c[0] + `}]`)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(set.Tools()[0].Schema); got != c[1] {
			t.Errorf("%s gives %s, want %s", c[0], got, c[1])
		}
	}
}

func TestToolsFields(t *testing.T) {
	set, err := ParseTools(`[{"type":"function","function":{"name":"aB","description":"d\n"},"triggers":["x","y"]},{"name":"c","triggers":"z"},{"name":"d","description":3}]`)
	if err != nil {
		t.Fatal(err)
	}
	tools := set.Tools()
	a, c, d := tools[0], tools[1], tools[2]
	if set.Len() != 3 || a.Name != "a_b" || a.Caller != "aB" || a.Description != "d\n" || string(a.Triggers) != `["x","y"]` ||
		a.Parameters != nil || a.Schema != nil || a.Text != `{"name":"a_b","description":"d\n"}` {
		t.Errorf("first tool: %+v", a)
	}
	if string(c.Triggers) != `"z"` || d.Triggers != nil || d.Description != "" {
		t.Errorf("others: %+v, %+v", c, d)
	}
	if some := set.Select([]int{2, 0, 2, 9, -1}); some.Text() != `[{"name":"a_b","description":"d\n"},{"name":"d","description":3}]` {
		t.Errorf("Select gives %s", some.Text())
	}
	if _, _, err := set.Select([]int{1}).ToCaller("a_b", []byte("{}")); !errors.Is(err, ErrUnknownTool) {
		t.Errorf("a tool that is not selected: %v", err)
	}
}

func TestToCaller(t *testing.T) {
	set, err := ParseTools(`[{"name":"sendMail","parameters":{"properties":{
		"toAddr":{"type":"array","items":{"properties":{"fullName":{},"eMail":{}}}},
		"to_addr":{"type":"string"},
		"opt":{"additionalProperties":{"properties":{"isOn":{}}},"properties":{"dryRun":{}}},
		"tree":{"$ref":"#/$defs/Tree"}, "any":{}, "anchor":{"$ref":"#leaf"}},
		"$defs":{"Tree":{"properties":{"leftChild":{"$ref":"#/$defs/Tree"},"leafs":{"items":{"$anchor":"leaf","properties":{"leafName":{}}}}}}}}},
		{"name":"plain"},{"name":"flat","parameters":{"roomName":{"type":"string"},"inner":{"properties":{"aB":{}}}}},
		{"name":"keywords","parameters":{"Type":{"type":"int"},"Properties":{"type":"object"}}}]`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, args, caller, want string }{
		{"send_mail", `{"to_addr":[{"full_name":"x","e_mail":"full_name"}],"to_addr__2":"to_addr"}`, "sendMail",
			`{"toAddr":[{"fullName":"x","eMail":"full_name"}],"to_addr":"to_addr"}`},
		{"send_mail", `{"opt":{"dry_run":1.50,"is_on":{"is_on":true},"kitchen":{"is_on":{"is_on":1}}}}`, "sendMail",
			`{"opt":{"dryRun":1.50,"is_on":{"isOn":true},"kitchen":{"isOn":{"is_on":1}}}}`},
		{"send_mail", `{"tree":{"left_child":{"left_child":{"leafs":[{"leaf_name":1}]}}},"anchor":{"leaf_name":2}}`, "sendMail",
			`{"tree":{"leftChild":{"leftChild":{"leafs":[{"leafName":1}]}}},"anchor":{"leafName":2}}`},
		{"send_mail", ` { "any" : { "to_addr" : [ 1e5 , "\u00e9" ] } , "other_key" : null } `, "sendMail", `{"any":{"to_addr":[1e5,"é"]},"other_key":null}`},
		{"plain", `{"some_key":1,"some_key":2}`, "plain", `{"some_key":1,"some_key":2}`},
		{"keywords", `{"type":1,"properties":{"user_id":2}}`, "keywords", `{"Type":1,"Properties":{"user_id":2}}`},
		{"flat", `{"room_name":"a","inner":{"a_b":1}}`, "flat", `{"roomName":"a","inner":{"aB":1}}`},
	} {
		caller, args, err := set.ToCaller(c.name, []byte(c.args))
		if err != nil || caller != c.caller || string(args) != c.want {
			t.Errorf("%s(%s) is %s(%s), %v; want %s", c.name, c.args, caller, args, err, c.want)
		}
	}
	if _, _, err := set.ToCaller("sendMail", []byte("{}")); !errors.Is(err, ErrUnknownTool) {
		t.Errorf("a name that is not on the wire: %v", err)
	}
	for _, args := range []string{"", "[]", "{", "{} {}", "null"} {
		if _, _, err := set.ToCaller("plain", []byte(args)); offset(err) < 0 {
			t.Errorf("arguments %q: %v", args, err)
		}
	}
}

func TestToCallerIsSafeForConcurrentUse(t *testing.T) {
	set, err := ParseTools(`[{"name":"f","parameters":{"properties":{"aB":{"$ref":"#"}}}}]`)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 100 {
				if _, args, err := set.ToCaller("f", []byte(`{"a_b":{"a_b":{}}}`)); err != nil || string(args) != `{"aB":{"aB":{}}}` {
					t.Errorf("%s, %v", args, err)
				}
			}
		})
	}
	wait.Wait()
}
