package ground

import "testing"

func TestEmpty(t *testing.T) {
	const (
		note = `"a":{"type":"string"},"b":{"type":"string"}!a`
		mail = `"a":{"type":"string"},"email":{"type":"string","description":"or 'me'"}!a`
	)
	checkRepairs(t, "empty", "create_event", []repairCase{
		{"plan lunch", note, `{"a":"lunch","b":""}`, `{"a":"lunch"}`},
		{"plan lunch", note, `{"a":"lunch","b":"  "}`, `{"a":"lunch"}`},
		{"plan lunch", note, `{"b":"\u00a0\n","a":"lunch"}`, `{"a":"lunch"}`},
		{"plan lunch", note, `{"a":"","b":"x"}`, ""},
		{"plan lunch", note, `{"a":"","b":""}`, `{"a":""}`},
		{"plan lunch", note, `{"a":"lunch","b":"."}`, ""},
		{"plan lunch", note, `{"a":"lunch","b":null}`, ""},
		{"plan lunch with a blank note", note, `{"a":"lunch","b":""}`, ""},
		{"leave the note empty", note, `{"a":"lunch","b":""}`, ""},
		{"set b to an empty string", note, `{"a":"lunch","b":""}`, ""},
		{`set b to ""`, note, `{"a":"lunch","b":""}`, ""},
		{"set b to “”", note, `{"a":"lunch","b":""}`, ""},
		{"Clear the note", note, `{"a":"lunch","b":""}`, ""},
		{"remove the description", note, `{"a":"lunch","b":""}`, ""},
		{"plan lunch", `"b":{"type":"string","default":""}`, `{"b":""}`, ""},
		{"plan lunch", `"b":{"type":"string","enum":["","x"]}`, `{"b":""}`, ""},
		{"join the names", `"separator":{"type":"string"}`, `{"separator":" "}`, ""},
		{"join the names", `"wordDelimiter":{"type":"string"}`, `{"wordDelimiter":""}`, ""},
		{"plan lunch", `"tags":{"type":"array","items":{"type":"string"}}`, `{"tags":["",""]}`, ""},
		{"plan lunch", `"o":{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"string"}},"required":["c"]}`, `{"o":{"b":"","c":""}}`, `{"o":{"c":""}}`},
		{"mail Bob", mail, `{"a":"x","email":"Bob"}`, `{"a":"x"}`},
		{"mail Bob", mail, `{"a":"x","email":"bob@example.com"}`, ""},
		{"mail Bob", mail, `{"a":"x","email":"me"}`, ""},
		{"mail Bob", `"email":{"type":"string"}!email`, `{"email":"Bob"}`, ""},
		{"mail Bob", `"recipientEmail":{"type":"string"}`, `{"recipientEmail":"Bob"}`, `{}`},
		{"mail Bob", `"cc_email_address":{"type":"string"}`, `{"cc_email_address":"Bob"}`, `{}`},
		{"mail Bob hello", `"email_body":{"type":"string"}`, `{"email_body":"hello"}`, ""},
		{"mail Bob hello", `"mailbox":{"type":"string"}`, `{"mailbox":"work"}`, ""},
		{"mail Bob", `"email":{"type":"string","default":"none"}`, `{"email":"none"}`, ""},
		{"mail Bob", `"email":{"type":"string","enum":["work","home"]}`, `{"email":"work"}`, ""},
		// What is empty is so in every language; what is not stays.
		{"安排午餐", note, `{"a":"午餐","b":"备注"}`, ""},
		{"خطط للغداء", note, `{"a":"غداء","b":"ملاحظة"}`, ""},
		{"planea la comida", note, `{"a":"comida","b":"nota"}`, ""},
		{"plane das Essen", note, `{"a":"Essen","b":"Notiz"}`, ""},
		{"安排午餐", note, `{"a":"午餐","b":"\u3000"}`, `{"a":"午餐"}`},
	})
}
