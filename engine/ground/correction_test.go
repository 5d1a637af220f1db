package ground

import (
	"strings"
	"testing"
)

// TestCorrections has prohibitions with what is wanted instead; "=" is the calls themselves.
func TestCorrections(t *testing.T) {
	const tools = `cancel_alarm{"properties":{"time":{}}}
set_alarm{"properties":{"time":{}}}
deploy_service{"properties":{"service":{},"env":{}}}
book_restaurant{"properties":{"restaurant":{},"time":{},"date":{},"party":{}}}
transfer_money{"properties":{"to":{},"amount":{}}}
set_light_color{"properties":{"room":{},"color":{}}}
call_contact{"properties":{"name":{},"time":{}}}
turn_on_lights{"properties":{"room":{}}}`
	six, seven := `cancel_alarm{"time":"06:00"}`, `cancel_alarm{"time":"07:00"}`
	staging, production := `deploy_service{"service":"api","env":"staging"}`, `deploy_service{"service":"api","env":"production"}`
	red, blue := `set_light_color{"room":"den","color":"red"}`, `set_light_color{"room":"den","color":"blue"}`
	for _, c := range [][3]string{
		{"do not cancel my 6am alarm, cancel the 7am one", seven, "="},
		{"do not cancel my 6am alarm, cancel the 7am one", six, ""},
		{"do not cancel the 6am alarm, only the 7am one", seven, "="},
		{"do not cancel the 6am alarm, only the 7am one", six, ""},
		{"don't set an alarm for 6am, set one for 7am", `set_alarm{"time":"07:00"}`, "="},
		{"don't set an alarm for 6am, set one for 7am", `set_alarm{"time":"06:00"}`, ""},
		{"don't set the alarm to 6 but 7", `set_alarm{"time":"07:00"}`, "="},
		{"don't set the alarm to 6. Make it 7.", `set_alarm{"time":"07:00"}`, "="},
		{"don't deploy api to production, deploy it to staging", staging, "="},
		{"don't deploy api to production, deploy it to staging", production, ""},
		{"don't deploy api to production, use staging", staging, "="},
		{"don't deploy api to production, staging is broken", staging, ""},
		{"don't deploy api to staging, we use staging for tests", staging, ""},
		{"don't book Nopi for 7pm, book it for 8pm", `book_restaurant{"restaurant":"Nopi","time":"20:00"}`, "="},
		{"don't book Nopi for 7pm, book it for 8pm", `book_restaurant{"restaurant":"Nopi","time":"19:00"}`, ""},
		{"don't book Nopi, book Zuma for 8pm", `book_restaurant{"restaurant":"Nopi","time":"19:00"}`, ""},
		{"do not transfer $100 to Bob, transfer $50 to him", `transfer_money{"to":"Bob","amount":50}`, "="},
		{"do not transfer $100 to Bob, transfer $50 to him", `transfer_money{"to":"Bob","amount":100}`, ""},
		{"do not transfer $100 to Bob, he owes me 50", `transfer_money{"to":"Bob","amount":50}`, ""},
		{"do not transfer $100 to Bob, but he needs 50", `transfer_money{"to":"Bob","amount":50}`, ""},
		{"do not transfer 100 to Bob, transfer 50 to Ann", `transfer_money{"to":"Bob","amount":50}`, ""},
		{"don't turn the light in the den red, make it blue", blue, "="},
		{"don't turn the light in the den red, make it blue", red, ""},
		{"don't set the den lights to red, blue please", blue, "="},
		{"don't call Bob, text him at 5", `call_contact{"name":"Bob","time":"5"}`, ""},
		{"don't call Bob, just wait until 5", `call_contact{"name":"Bob","time":"6"}`, ""},
		{"don't call him, Bob is asleep", bob, ""},
	} {
		if c[2] == "=" {
			c[2] = c[1]
		}
		checkRule(t, "negation", judged{"", c[0], tools, c[1], c[2]})
	}
}

// TestOtherActions has prohibitions of something else than a call does with the same thing; "=" is the calls themselves.
func TestOtherActions(t *testing.T) {
	const tools = `rename_file{"properties":{"path":{},"to":{}}}
delete_file{"properties":{"path":{}}}
delete_branch{"properties":{"branch":{}}}
pause_music{}
turn_on_lights{"properties":{"room":{}}}
print_document{"properties":{"file":{}}}
call_contact{"properties":{"name":{}}}
send_message{"properties":{"to":{},"text":{}}}
set_timer{}`
	rename := `rename_file{"path":"a.txt","to":"b.txt"}`
	for _, c := range [][3]string{
		{"rename a.txt to b.txt and do not delete the file", rename, "="},
		{"rename a.txt to b.txt and do not delete the file", `delete_file{"path":"a.txt"}`, ""},
		{"do not rename the file", rename, ""},
		{"pause don't stop the music", "pause_music{}", "="},
		{"print report.pdf, don't staple the document", `print_document{"file":"report.pdf"}`, "="},
		{"turn on the TV and don't switch on the lights", `turn_on_lights{"room":"den"}`, ""},
		{"print a.txt, don't staple the document b.txt", `print_document{"file":"b.txt"}`, ""},
		{"don't start the timer", "set_timer{}", ""},
		{"delete branch do-not-delete-me", `delete_branch{"branch":"do-not-delete-me"}`, "="},
		{"delete branch never_delete_this_branch", `delete_branch{"branch":"never_delete_this_branch"}`, "="},
		{"do not delete-branch main", `delete_branch{"branch":"main"}`, ""},
		{"how come you don't call Bob", bob, "="},
		{"come on, don't call Bob", bob, ""},
		{"say to the group never send messages after midnight", `send_message{"to":"group","text":"never send messages after midnight"}`, "="},
		{"never send messages after midnight", `send_message{"to":"group","text":"never send messages after midnight"}`, ""},
	} {
		if c[2] == "=" {
			c[2] = c[1]
		}
		checkRule(t, "negation", judged{"", c[0], tools, c[1], c[2]})
	}
}

// TestPlainProhibitions has other plain ways to forbid; "=" is the calls themselves.
func TestPlainProhibitions(t *testing.T) {
	const tools = `call_contact{"properties":{"name":{}}}
delete_file{"properties":{"path":{}}}
play_music{}
send_message{"properties":{"to":{},"text":{}}}`
	remove := `delete_file{"path":"a.txt"}`
	for _, c := range [][3]string{
		{"call Bob? no, don't.", bob, ""},
		{"call Bob - actually don't", bob, ""},
		{"call Bob... wait, no, don't do that", bob, ""},
		{"delete a.txt. On second thought, don't.", remove, ""},
		{"was going to ask you to delete a.txt but don't do it", remove, "="}, // it asks to write, perhaps
		{"play some music. Call Bob? No, don't.", "play_music{}\n" + bob, "play_music{}"},
		{"call Bob if they don't", bob, "="},
		{"if he calls Bob, don't", bob, "="},
		{"text Ann: call Bob? no, don't", `send_message{"to":"Ann","text":"call Bob? no, don't"}`, "="},
		{"don't. Call Bob", bob, "="},
		{"it's better if you don't call Bob", bob, ""},
		{"hold off on calling Bob", bob, ""},
		{"forget about calling Bob", bob, ""},
		{"forget about the music, call Bob", bob, "="},
		{"nobody is to delete a.txt", remove, ""},
		{"nobody is there to answer, call Bob", bob, "="},
	} {
		if c[2] == "=" {
			c[2] = c[1]
		}
		checkRule(t, "negation", judged{"", c[0], tools, c[1], c[2]})
	}
}

// TestExclusionWork has a long value that is compared with few exclusions, and with many: it is read once.
func TestExclusionWork(t *testing.T) {
	value := strings.Repeat("ab cd ", 1000)
	work := func(exclusions int) float64 {
		o := NewRequest(strings.Repeat("except the kitchen, ", exclusions)).omissions()
		if len(o.list) != exclusions {
			t.Fatalf("%d exclusions of %d", len(o.list), exclusions)
		}
		return testing.AllocsPerRun(5, func() { o.exclude(value) })
	}
	if few, many := work(5), work(500); many > few+100 {
		t.Errorf("%v allocations for few exclusions, %v for many", few, many)
	}
}
