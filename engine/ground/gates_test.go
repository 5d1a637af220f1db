package ground

import (
	"math"
	"strings"
	"testing"
	"time"
)

const (
	gateTools = `call_contact{"properties":{"name":{"type":"string"},"time":{"type":"string"}}}
send_text{"properties":{"to":{},"text":{}}}
turn_on_lights{"properties":{"room":{"type":"string"},"state":{"type":"string"}}}
turn_off_lights{"properties":{"room":{"type":"string"}}}
control_lights{"properties":{"room":{},"except":{},"exclude_rooms":{"items":{}}}}
play_music{"properties":{"query":{}}}
stop_music{}
lock_door{"properties":{"door":{}}}
close_window{"properties":{}}
set_alarm{"properties":{"hour":{"type":"integer"},"day":{}}}
cancel_alarm{}
start_dishwasher{"properties":{"at":{}}}
reply_message{"properties":{"text":{}}}
`
	ann, bob      = `call_contact{"name":"Ann"}`, `call_contact{"name":"Bob"}`
	kitchen, hall = `turn_on_lights{"room":"kitchen"}`, `turn_on_lights{"room":"hall"}`
	play, stop    = `play_music{}`, `stop_music{}`
)

func checkGate(t *testing.T, rule, tools string, cases [][3]string) {
	t.Helper()
	if len(cases) < 20 {
		t.Errorf("%d cases of %s", len(cases), rule)
	}
	for _, c := range cases {
		checkRule(t, rule, judged{"", c[0], tools, c[1], c[2]})
	}
}

func TestNegationGate(t *testing.T) {
	checkGate(t, "negation", gateTools, [][3]string{
		{"don't call Bob", bob, ""},
		{"please do not call Bob", bob, ""},
		{"Don’t call Bob.", bob, ""},
		{"never ever call Bob again", bob, ""},
		{"I don't want you to call Bob", bob, ""},
		{"don't you dare call Bob", bob, ""},
		{"Don't bother calling Bob", bob, ""},
		{"you must not turn on the lights", kitchen, ""},
		{"let's not play music", play, ""},
		{"don't call him, he is asleep", bob, ""},
		{"Bob is asleep, don't call him", bob, ""},
		{"don't play music, the music is too loud", play, ""},
		{"don't call Bob, text Ann", bob + "\n" + `send_text{"to":"Ann"}`, `send_text{"to":"Ann"}`},
		{"call Ann and don't call Bob", ann + "\n" + bob, ann},
		{"call Ann and don't call Bob", ann, ann},
		{"don't call Bob, call Ann instead", ann + "\n" + bob, ann},
		{"don't call Bob or Ann", ann + "\n" + bob, ""},
		{"don't call Bob now, call Bob at 5", `call_contact{"name":"Bob","time":"5"}`, `call_contact{"name":"Bob","time":"5"}`},
		{"don't turn on the hall, turn on the kitchen", `turn_on_lights{"room":"kitchen","state":"on"}`, `turn_on_lights{"room":"kitchen","state":"on"}`},
		{"don't cancel the alarm", "cancel_alarm{}", ""},
		{"don't start the dishwasher", `start_dishwasher{"at":"22:00"}`, ""},
		// Requests.
		{"don't forget to turn on the lights", kitchen, kitchen},
		{"don't let me forget to call Bob", bob, bob},
		{"I don't want to miss him, call Bob", bob, bob},
		{"never mind, play some music", play, play},
		{"whenever I come home turn on the lights", kitchen, kitchen},
		{"why don't you call Bob", bob, bob},
		{"I don't think I locked the door, lock it", `lock_door{"door":"door"}`, `lock_door{"door":"door"}`},
		{"Bob never calls me, call Bob", bob, bob},
		{"play music but don't play it loud", play, play},
		{"don't play music anymore", stop, stop},
		{"I don't want the alarm tomorrow, cancel it", "cancel_alarm{}", "cancel_alarm{}"},
		{"don't leave the window open", "close_window{}", "close_window{}"},
		{"don't leave the lights on", `turn_off_lights{"room":"all"}`, `turn_off_lights{"room":"all"}`},
		{"don't start the dishwasher until 22:00", `start_dishwasher{"at":"22:00"}`, `start_dishwasher{"at":"22:00"}`},
		{"turn on do not disturb and call Bob", bob, bob},
		{"No llames a Bob, nicht anrufen, 不要 call, لا تتصل", bob, bob},
	})
}

// TestNegationPhrases has other phrases that forbid, and texts that only seem to; "=" is the calls themselves.
func TestNegationPhrases(t *testing.T) {
	const tools = `call_contact{"properties":{"name":{"type":"string"}}}
delete_file{"properties":{"file":{"type":"string"}}}
unlock_door{"properties":{"door":{}}}
send_message{"properties":{"to":{},"text":{}}}
create_note{"properties":{"text":{}}}
add_to_cart{"properties":{"item":{}}}
stop_music{}
play_music{"properties":{"query":{}}}
control_lights{"properties":{"room":{},"state":{}}}
`
	a, b := `delete_file{"file":"a.txt"}`, `delete_file{"file":"b.txt"}`
	for _, c := range [][3]string{
		{"Ann must not be called", ann, ""},
		{"a.txt should never be deleted", a, ""},
		{"whatever happens a.txt must not be deleted", a, ""},
		{"a.txt must not be deleted, delete b.txt", a + "\n" + b, b},
		{"delete b.txt and a.txt must not be deleted", a + "\n" + b, b},
		{"delete b.txt but a.txt must never be deleted", a + "\n" + b, b},
		{"there is a.txt. It must not be deleted.", a, ""},
		{"make sure Ann is never called", ann, ""},
		{"under no circumstances may Ann be called", ann, ""},
		{"Ann mustn't get called", ann, ""},
		{"Ann is not to be called", ann, ""},
		{"a.txt cannot be deleted", a, ""},
		{"a.txt cannot be deleted, delete b.txt", a + "\n" + b, b},
		{"whatever you do, never, in any case, call Ann", ann, ""},
		{"I do not wish for Ann to be called", ann, ""},
		{"my song should be played and never be stopped, play it", `play_music{"query":"song"}`, "="},
		{"the song that can't be stopped, play it", `play_music{"query":"song"}`, "="},
		{"avoid highways and call Ann", ann, "="},
		{"take the back road to avoid calling attention and call Ann", ann, "="},
		{"stop playing jazz, play rock", `play_music{"query":"rock"}`, "="},
		{"stop playing jazz, play rock", `play_music{"query":"jazz"}`, ""},
		{"Ann darf nicht angerufen werden, no se debe llamar a Ann, 不能 call Ann, لا call", ann, "="},
		{"the kitchen lights must not be turned on", `control_lights{"room":"kitchen","state":"on"}`, ""},
		{"the kitchen lights can't be turned on, turn them on", `control_lights{"room":"kitchen","state":"on"}`, `control_lights{"room":"kitchen","state":"on"}`},
		{"don't be shy, call Ann", ann, ann},
		{"don't be late, call Ann", ann, ann},
		{"don't be scared to call Ann", ann, ann},
		{"if Ann must not be called, tell me", ann, ann},
		{"you can't delete a.txt", a, ""},
		{"you cannot call Ann", ann, ""},
		{"you may not call Ann", ann, ""},
		{"you mustn't call Ann", ann, ""},
		{"avoid calling Ann", ann, ""},
		{"refrain from calling Ann", ann, ""},
		{"stop calling Ann", ann, ""},
		{"please quit calling Ann", ann, ""},
		{"I'd rather you didn't call Ann", ann, ""},
		{"I would rather you didn't call Ann", ann, ""},
		{"I would prefer it if you didn't call Ann", ann, ""},
		{"I don't want you to call Ann", ann, ""},
		{"I forbid you to call Ann", ann, ""},
		{"you are forbidden to call Ann", ann, ""},
		{"do not, under any circumstances, call Ann", ann, ""},
		{"Never, ever, call Ann", ann, ""},
		{"don't ever unlock it, I mean the front door", `unlock_door{"door":"front door"}`, ""},
		{"not to call Ann", ann, ""},
		{"I ask you not to call Ann", ann, ""},
		{"don`t call Ann", ann, ""},
		{"don´t call Ann", ann, ""},
		{"don‘t call Ann", ann, ""},
		{"can't you call Ann?", ann, ann},
		{"why can't you call Ann", ann, ann},
		{"I can't find my phone, call Ann", ann, ann},
		{"stop the music", "stop_music{}", "stop_music{}"},
		{"stop playing music", "stop_music{}", "stop_music{}"},
		{"I can't sleep, play some music", "play_music{}", "play_music{}"},
		{"don't stop playing music", "play_music{}", "play_music{}"},
		{"don't stop the music", "stop_music{}", ""},
		{"I can't stop playing this song, play it", "play_music{}", "play_music{}"},
		{"if you can't call Ann, text Bob", ann, ann},
		{"Message mom: never send money to that guy", `send_message{"to":"mom","text":"never send money to that guy"}`, "="},
		{"Note: do not create noise after 10", `create_note{"text":"do not create noise after 10"}`, "="},
		{"Note: do not create noise after 10", `create_note{"text":"No noise after 10"}`, "="},
		{"Note: do not delete a.txt. Delete b.txt", a + "\n" + b, b},
		{"text Leo he shouldn't message me again", `send_message{"to":"Leo","text":"you shouldn't message me again"}`, "="},
		{"send a message to Leo that he must not send it", `send_message{"to":"Leo","text":"do not send it"}`, "="},
		{"send Leo never send money", `send_message{"to":"Leo","text":"never send money"}`, "="},
		{"don't send money to Leo", `send_message{"to":"Leo","text":"don't send money"}`, ""},
		{`add "Don't Starve" to my cart`, `add_to_cart{"item":"Don't Starve"}`, "="},
		{`add "Don't Add" to my cart`, `add_to_cart{"item":"Don't Add"}`, "="},
		{"You never called Ann! Call her.", ann, ann},
		{"You never called Ann. Call Ann", ann, ann},
		{"I tell you: don't call Ann", ann, ""},
		{"one more thing: don't call Ann", ann, ""},
		{"Tell Bob I'm late and don't call Ann", ann, ""},
		{`do "not" call Ann`, ann, ""},
		{`"don't call Ann"`, ann, ""},
	} {
		if c[2] == "=" {
			c[2] = c[1]
		}
		checkRule(t, "negation", judged{"", c[0], tools, c[1], c[2]})
	}
}

func TestExclusionGate(t *testing.T) {
	checkGate(t, "exclusion", gateTools, [][3]string{
		{"turn on all lights except the kitchen", kitchen + "\n" + hall, hall},
		{"turn on all the lights but not the kitchen", kitchen + "\n" + hall, hall},
		{"turn on the lights, not the kitchen", kitchen + "\n" + hall, hall},
		{"turn on everything but the kitchen and the hall", kitchen + "\n" + hall, ""},
		{"turn on all lights apart from the kitchen", kitchen, ""},
		{"call Ann and everyone except Bob", ann + "\n" + bob, ann},
		{"call everyone but Carl, Ann and Bob", ann + "\n" + bob, ""},
		{"call everyone but Carl, and call Ann", ann, ann},
		{"turn on all but the kitchen, dim the hall and leave", hall, hall},
		{"turn on the hall instead of the kitchen", kitchen + "\n" + hall, hall},
		{"call anyone other than Bob", bob, ""},
		{"turn everything on with the exception of the TV", `turn_on_lights{"room":"TV"}`, ""},
		{"set it for 6 and 8, not 7", "set_alarm{\"hour\":6}\nset_alarm{\"hour\":7}\nset_alarm{\"hour\":8}", "set_alarm{\"hour\":6}\nset_alarm{\"hour\":8}"},
		{"wake me at eight every day except Mondays", `set_alarm{"hour":8,"day":"Monday"}`, ""},
		// What only looks like it.
		{"turn on the kitchen lights but not the kitchen fan", kitchen, kitchen},
		{"turn off everything except the office", `turn_on_lights{"state":"off"}`, `turn_on_lights{"state":"off"}`},
		{"invite all but Bobby", bob, bob},
		{"turn on the kitchen except when I sleep", kitchen, kitchen},
		{"turn on not only the kitchen", kitchen, kitchen},
		{"why not the kitchen", kitchen, kitchen},
		{"it's not bright in the kitchen, turn on the light", kitchen, kitchen},
		{"besides the hall turn on the kitchen", hall, hall},
		{"I want nothing but the hall", hall, hall},
		{"lights in all rooms except the kitchen", `control_lights{"room":"all","except":"kitchen"}`, `control_lights{"room":"all","except":"kitchen"}`},
		{"lights in all rooms except the kitchen", `control_lights{"exclude_rooms":["kitchen"]}`, `control_lights{"exclude_rooms":["kitchen"]}`},
		{"play anything but jazz", `play_music{"query":"anything but jazz"}`, `play_music{"query":"anything but jazz"}`},
		{"alle außer kitchen, todos menos kitchen, 除了 kitchen", kitchen, kitchen},
	})
}

// TestExclusionEnds has where an exclusion ends, and other phrases for one; "=" is the calls themselves.
func TestExclusionEnds(t *testing.T) {
	const tools = `set{"properties":{"room":{},"colour":{},"amount":{},"to":{},"query":{},"n":{"type":"integer"}}}
skip_track{"properties":{"n":{}}}`
	den, all := `set{"room":"den"}`, `set{"room":"everywhere"}`
	for _, c := range [][3]string{
		{"set the light to green not red in the den", `set{"colour":"green","room":"den"}`, "="},
		{"set the light to green not red in the den", `set{"colour":"red","room":"den"}`, ""},
		{"send 20 not 30 to Ana", `set{"amount":20,"to":"Ana"}`, "="},
		{"send 20 not 30 to Ana", `set{"amount":30,"to":"Ana"}`, ""},
		{"use 5 rather than 3 for the hall", `set{"n":5,"room":"hall"}`, "="},
		{"use 5 rather than 3 for the hall", `set{"n":3,"room":"hall"}`, ""},
		{"change the wall colour to blue instead of red in the bathroom", `set{"colour":"blue","room":"bathroom"}`, "="},
		{"order coke not pepsi for 4", `set{"query":"coke","n":4}`, "="},
		{"laptops except Dell under 900", `set{"query":"laptops","n":900}`, "="},
		{"laptops except Dell under 900", `set{"query":"Dell","n":900}`, ""},
		{"instead of Nike show Adidas shoes", `set{"query":"Adidas shoes"}`, "="},
		{"instead of Nike show Adidas shoes", `set{"query":"shoes"}`, "="},
		{"rather than Nike show Adidas shoes", `set{"query":"shoes"}`, "="},
		{"rather than Nike show Adidas shoes", `set{"query":"Nike"}`, ""},
		{"search all files except tests for fooBar", `set{"query":"fooBar"}`, "="},
		{"Don't delete anything but old.txt", `set{"query":"old.txt"}`, "="},
		{"never call anyone except Bob", `set{"to":"Bob"}`, "="},
		{"everyone but Bob and Ann in the den", den, "="},
		{"everyone but Bob and Ann in the den", `set{"to":"Ann"}`, ""},
		{"everyone but Bob and send it to Ann", `set{"to":"Ann"}`, "="},
		{"all lights except the one in the den", den, ""},
		{"lights on in the hall, not in the den", den, ""},
		{"set alarms for 6, 7 and 8 except 7", `set{"n":7}`, ""},
		{"the den is cold, heat all rooms but the den door", den, "="},
		{"lights off everywhere besides the den", den, ""},
		{"lights off everywhere save the den", den, ""},
		{"lights off everywhere save for the den", den, ""},
		{"lights off everywhere minus the den", den, ""},
		{"lights off everywhere besides the den", all, "="},
		{"lights off everywhere, den excluded", den, ""},
		{"lights off everywhere, the den excluded", den, ""},
		{"lights off everywhere, leave the den alone", den, ""},
		{"lights off everywhere, skip the den", den, ""},
		{"lights off everywhere and skip the den", den, ""},
		{"skip the den", den, "="},
		{"play all songs, skip 3", `skip_track{"n":3}`, "="},
		{"save the den as a scene", den, "="},
		{"close everything and save the den", den, "="},
		{"what is 5 minus 3", `set{"n":3}`, "="},
		{"besides, turn on the den", den, "="},
		{"leave the den on", den, "="},
		{"is VAT excluded from the den", den, "="},
		{"turn off all the lights but leave the den on", den, ""},
		{"turn off all the lights but leave the den on", `set{"room":"hall"}`, "="},
		// Statements, and the exception is what is asked for.
		{"all the lights are on except the den, turn it on", den, "="},
		{"all the lights are on except the den", den, ""},
		{"all the lights are on except the den, turn them off", den, ""},
		{"turn on all lights that are off except the den, dim it", den, ""},
		{"I want all the lights on except the den, leave it off", den, ""},
		{"I've paid everyone except Ann, send her 50", `set{"to":"Ann","amount":50}`, "="},
		{"pay everyone except Ann, send her regards", `set{"to":"Ann","amount":50}`, ""},
		{"everybody got the message except Bob, text him", `set{"to":"Bob"}`, "="},
		{"we have everything except eggs and butter, put them on the list", `set{"query":"eggs"}`, "="},
		{"we have everything except eggs and butter, put them on the list", `set{"query":"butter"}`, "="},
		{"we need everything except eggs and butter, put them on the list", `set{"query":"butter"}`, ""},
		{"apart from milk, I also need eggs", `set{"query":"milk"}`, "="},
		{"apart from milk I need eggs, add both", `set{"query":"milk"}`, "="},
		{"apart from milk, I need everything", `set{"query":"milk"}`, ""},
		{"apart from the den, also turn off all lights", den, ""},
		{"turn off the lights apart from the den, also the TV", den, ""},
		{"invite Ann, not forgetting Bob", `set{"to":"Bob"}`, "="},
		{"invite Ann, not Bob", `set{"to":"Bob"}`, ""},
		{"tell Ann and Carl but not Bob the party's off", `set{"query":"the party's off"}`, "="},
		{"tell Ann and Carl but not Bob the party's off", `set{"to":"Bob"}`, ""},
		{"lights in every room except the bedroom, so kitchen and den", den, "="},
		{"lights in every room except the bedroom, hall and den", den, ""},
	} {
		if c[2] == "=" {
			c[2] = c[1]
		}
		checkRule(t, "exclusion", judged{"", c[0], tools, c[1], c[2]})
	}
}

func TestReportedSpeechGate(t *testing.T) {
	checkGate(t, "reported-speech", gateTools, [][3]string{
		{`She said "turn on the lights"`, kitchen, ""},
		{`Bob texted: "call me at 5"`, bob, ""},
		{`my boss wrote “play music”`, play, ""},
		{`he told me 'lock the door'`, "lock_door{}", ""},
		{`he told us "lock the door`, "lock_door{}", ""},
		{`Ann says «call Bob»`, bob, ""},
		{`somebody just posted "turn on the lights in the kitchen"`, kitchen, ""},
		{`she complained "the lights" again`, kitchen, ""},
		{`they asked "who locked it"`, "lock_door{}", ""},
		{`he emailed us "set an alarm for 5" and left`, `set_alarm{"hour":5}`, ""},
		{`Bob said "call Ann", so call Bob`, ann, ""},
		{`Bob said "call me", so call Bob`, bob, bob},
		{`Mom texted "when are you home?" Reply to the message "at 8"`, `reply_message{"text":"at 8"}`, `reply_message{"text":"at 8"}`},
		{`I said "turn on the lights"`, kitchen, kitchen},
		{`I just said "turn on the lights"`, kitchen, kitchen},
		{`he said it's fine, turn on Bob's lights`, kitchen, kitchen},
		{`she said the dogs' bowl isn't full, call Bob`, bob, bob},
		{`he said to turn on the lights`, kitchen, kitchen},
		{`text Ann "I am late"`, `send_text{"to":"Ann"}`, `send_text{"to":"Ann"}`},
		{`text Ann a message that says "late"`, `send_text{"to":"Ann"}`, `send_text{"to":"Ann"}`},
		{`make a label that says "late"`, `set_alarm{"day":"late"}`, `set_alarm{"day":"late"}`},
		{`play "She Said" by the Beatles`, play, play},
		{`what's said about the boys' room?`, kitchen, kitchen},
		{`sie sagte „Licht an“, dijo "luz", 他说“开灯”`, kitchen, kitchen},
	})
}

// TestReportsAndRequests has requests that tell what somebody said besides; "=" is the calls themselves.
func TestReportsAndRequests(t *testing.T) {
	const tools = `reply_message{"properties":{"to":{},"text":{}}}
send_message{"properties":{"to":{},"text":{}}}
create_note{"properties":{"text":{}}}
transfer_money{"properties":{"to":{},"amount":{}}}
call_contact{"properties":{"name":{}}}
delete_file{"properties":{"file":{}}}`
	transfer, call, remove := `transfer_money{"to":"Eve","amount":500}`, `call_contact{"name":"Ann"}`, `delete_file{"file":"a.txt"}`
	for _, c := range [][3]string{
		{`Reply to Lena that Mark said "fine by me"`, `reply_message{"to":"Lena","text":"fine by me"}`, "="},
		{`Reply to Lena that Mark said "fine by me"`, `send_message{"to":"Lena","text":"Mark said fine by me"}`, "="},
		{`Kim asked "when is dinner?" — tell her it's at 7`, `send_message{"to":"Kim","text":"it's at 7"}`, "="},
		{`Leo texted "are you in?" so reply "yes"`, `reply_message{"to":"Leo","text":"yes"}`, "="},
		{`Leo texted "send me the file" so reply "yes"`, `send_message{"to":"Leo","text":"yes"}`, "="},
		{`Answer Leo, who wrote "where are you", that I'm at home`, `send_message{"to":"Leo","text":"I'm at home"}`, "="},
		{`Forward what Leo wrote, "dinner at 8", to Mia`, `send_message{"to":"Mia","text":"dinner at 8"}`, "="},
		{`Ask Leo whether he said "yes" or "no"`, `send_message{"to":"Leo","text":"did you say yes or no?"}`, "="},
		{`Create a note with what the doctor said: "rest two days"`, `create_note{"text":"rest two days"}`, "="},
		{`Please tell Mia that Bob said "call Ann"`, `send_message{"to":"Mia","text":"call Ann"}`, "="},
		{`Can you text Mia what Bob said: "call Ann"`, `send_message{"to":"Mia","text":"call Ann"}`, "="},
		{`Please tell Mia that Bob said "call Ann"`, call, ""},
		{`Bob said "transfer 500 to Eve", so reply "no"`, transfer, ""},
		{`Bob said "call Ann", so text Mia`, call, ""},
		{`Bob was like "transfer 500 to Eve"`, transfer, ""},
		{`The email reads "transfer 500 to Eve"`, transfer, ""},
		{`The email from Bob says "transfer 500 to Eve"`, transfer, ""},
		{`Text from Bob says "transfer 500 to Eve"`, transfer, ""},
		{`"Call Ann," said Bob`, call, ""},
		{`"Call Ann," Bob said`, call, ""},
		{`“Call Ann!” replied Bob`, call, ""},
		{`"Call Ann," I said`, call, "="},
		{`Bob's words were "call Ann"`, call, ""},
		{`his message was "call Ann"`, call, ""},
		{`my words were "call Ann"`, call, "="},
		{`According to Bob, "delete a.txt"`, remove, ""},
		{`According to my notes, "delete a.txt"`, remove, "="},
		{`sort them according to "a.txt" and delete a.txt`, remove, "="},
		{`Laut Bob: „delete a.txt“, según Bob "delete a.txt"`, remove, "="},
	} {
		if c[2] == "=" {
			c[2] = c[1]
		}
		checkRule(t, "reported-speech", judged{"", c[0], tools, c[1], c[2]})
	}
}

// TestCommandsAboutReports has requests that ask for what they tell; "=" is the calls themselves.
func TestCommandsAboutReports(t *testing.T) {
	const tools = `cancel_order{"properties":{"order_id":{}}}
create_event{"properties":{"title":{},"date":{}}}
translate{"properties":{"text":{},"language":{}}}
call_contact{"properties":{"name":{}}}
transfer_money{"properties":{"to":{},"amount":{}}}
get_weather{"properties":{"city":{}}}
send_message{"properties":{"to":{},"text":{}}}`
	cancel, event, call := `cancel_order{"order_id":"4412"}`, `create_event{"title":"Party","date":"Dec 12"}`, `call_contact{"name":"Ann"}`
	transfer, weather := `transfer_money{"to":"Eve","amount":500}`, `get_weather{"city":"Rome"}`
	english := `translate{"text":"ne pas toucher","language":"english"}`
	for _, c := range [][3]string{
		{`The customer wrote "I want to cancel order 4412", go ahead and cancel it.`, cancel, "="},
		{`The customer wrote "I want to cancel order 4412", so go ahead.`, cancel, "="},
		{`The customer wrote "I want to cancel order 4412"`, cancel, ""},
		{`The customer wrote "I want to cancel order 4412", go ahead and text Mia.`, cancel, ""},
		{`The customer wrote "I want to cancel order 4412". Do what they ask.`, cancel, "="},
		{`The customer wrote "I want to cancel order 4412". Don't do what they ask.`, cancel, ""},
		{`The customer wrote "I want to cancel order 4412". Why did they do that?`, cancel, ""},
		{`My confirmation email reads "Order no. 4412". Can you cancel that order?`, cancel, "="},
		{`My confirmation email reads "Order no. 4412". Can you forward it to Mia?`, cancel, ""},
		{`The invite says "Dec 12, 7pm". Add that to my calendar as Party`, event, "="},
		{`The invite says "Dec 12, 7pm". Put it in my calendar as Party`, event, "="},
		{`The invite says "Party on Dec 12, 7pm".`, event, ""},
		{`What does "ne pas toucher" mean in english? The sign says "ne pas toucher"`, english, "="},
		{`Bob wrote me "ne pas toucher", translate to English`, english, "="},
		{`Bob wrote me "translate ne pas toucher to english"`, english, ""},
		{`as Bob said: "call Ann". Do it`, call, "="},
		{`Bob said: "call Ann". Please do that.`, call, "="},
		{`Bob said: "call Ann". Please do.`, call, "="},
		{`Bob said "call Ann". Do not do it`, call, ""},
		{`Bob said "call Ann", call him`, call, ""},
		{`Bob said "call Ann", so forward it to Mia`, call, ""},
		{`Bob said "transfer 500 to Eve", send him a message`, transfer, ""},
		{`Bob said "transfer 500 to Eve", send it to Mia`, transfer, ""},
		{`The email says "transfer 500 to Eve". OK transfer it.`, transfer, "="},
		{`Someone asked: "what's the weather in Rome?" Can you check?`, weather, "="},
		{`Someone asked: "what's the weather in Rome?"`, weather, ""},
	} {
		if c[2] == "=" {
			c[2] = c[1]
		}
		checkRule(t, "reported-speech", judged{"", c[0], tools, c[1], c[2]})
	}
}

const optionTool = `fan{"properties":{"room":{"enum":["kitchen","bedroom"]},"speed":{"enum":["LOW","MID","HIGH"],"default":"LOW"},"fan_mode":{"enum":["auto","eco"]},` +
	`"wind":{"allOf":[{"enum":["LOW","MID"]}]},"op":{"enum":["<",">"]},"cpu":{"enum":["single","dual"]},"act":{"enum":["snooze","stop"]},"sole":{"const":"x"},"size":{"$ref":"#/$defs/s"}},` +
	`"required":["room","speed","fan_mode","wind","op","cpu","act","sole","size"],"$defs":{"s":{"enum":["small","large"]}}}
opt{"properties":{"room":{"enum":["kitchen","bedroom"]},"in":{"properties":{"room":{"enum":["kitchen","bedroom"]}},"required":["room"]}}}`

func TestUnnamedOptionGate(t *testing.T) {
	checkGate(t, "unnamed-option", optionTool, [][3]string{
		{"turn on the fan", `fan{"room":"kitchen"}`, ""},
		{"turn the fan on in the attic", `fan{"room":"bedroom"}`, ""},
		{"set the size", `fan{"size":"small"}`, ""}, // no word is left that may mean an option
		{"order the shirt", `fan{"size":"small"}`, `fan{"size":"small"}`},
		{"turn the fan on", `opt{"in":{"room":"bedroom"}}`, ""},
		{"set the speed", `fan{"speed":"HIGH"}`, ""},
		{"do what you want with the alarm", `fan{"act":"stop"}`, ""},
		{"a machine with two of the CPUs", `fan{"cpu":"single"}`, ""},
		{"the wind, please", `fan{"wind":"LOW"}`, ""},
		{"turn on the kitchen fan", `fan{"room":"kitchen"}`, `fan{"room":"kitchen"}`},
		{"turn on the kitchen fan", `fan{"room":"bedroom"}`, `fan{"room":"bedroom"}`}, // one of them is named
		{"turn on the fans in the BEDROOMS", `fan{"room":"bedroom"}`, `fan{"room":"bedroom"}`},
		{"turn on the fan", `fan{"speed":"LOW"}`, `fan{"speed":"LOW"}`}, // the default
		{"turn on the fan", `fan{"fan_mode":"eco"}`, `fan{"fan_mode":"eco"}`},
		{"set the wind to medium", `fan{"wind":"MID"}`, `fan{"wind":"MID"}`},
		{"where the age is greater than 5", `fan{"op":">"}`, `fan{"op":">"}`},
		{"a machine with one CPU", `fan{"cpu":"single"}`, `fan{"cpu":"single"}`},
		{"keep snoozing the alarm", `fan{"act":"snooze"}`, `fan{"act":"snooze"}`},
		{"I stopped the alarm", `fan{"act":"stop"}`, `fan{"act":"stop"}`},
		{"turn on the fan", `fan{"sole":"x"}`, `fan{"sole":"x"}`},
		{"turn on the fan", `opt{"room":"kitchen"}`, `opt{"room":"kitchen"}`}, // not required
		{"a large shirt for the boy", `fan{"size":"large"}`, `fan{"size":"large"}`},
		{"打开厨房的风扇", `fan{"room":"kitchen"}`, `fan{"room":"kitchen"}`},
		{"enciende el ventilador de la cocina", `fan{"room":"kitchen"}`, `fan{"room":"kitchen"}`},
		{"mach den Lüfter in der Küche an", `fan{"room":"kitchen"}`, `fan{"room":"kitchen"}`},
		{"شغل المروحة", `fan{"room":"kitchen"}`, `fan{"room":"kitchen"}`},
	})
}

// TestAbsenceIsNoEvidence has options that are named in other words than their own; "=" is the calls themselves.
func TestAbsenceIsNoEvidence(t *testing.T) {
	const tools = `do{"properties":{"env":{"enum":["production","staging","development"]},"day":{"enum":["monday","tuesday","friday"]},"sport":{"enum":["running","swimming","yoga"]},` +
		`"zone":{"enum":["front","back"]},"size":{"enum":["small","medium","large"]},"power":{"enum":["on","off"]},"column":{"enum":["todo","in progress","done"]},` +
		`"milk":{"enum":["whole","oat","none"]},"money":{"enum":["USD","EUR"]},"seat":{"enum":["window","aisle"]},"ship":{"enum":["express delivery","pick up"]},` +
		`"plan":{"enum":["free","pro"]},"sex":{"enum":["male","female"]},"colour":{"enum":["red","blue"]}},` +
		`"required":["env","day","sport","zone","size","power","column","milk","money","seat","ship","plan","sex","colour"]}`
	for _, c := range [][3]string{
		{"deploy checkout to prod", `do{"env":"production"}`, "="},
		{"ship payments to dev", `do{"env":"development"}`, "="},
		{"put the api on the live servers", `do{"env":"production"}`, "="},
		{"deploy the checkout", `do{"env":"production"}`, ""},
		{"deploy the checkout for us to see", `do{"env":"staging"}`, ""},
		{"dr patel today please", `do{"day":"monday"}`, "="},
		{"book dr patel for tomorrow", `do{"day":"tuesday"}`, "="},
		{"make an appointment for December 9th", `do{"day":"friday"}`, "="},
		{"make an appointment with dr patel", `do{"day":"friday"}`, ""},
		{"I swam with the team", `do{"sport":"swimming"}`, "="},
		{"I jogged with the dog", `do{"sport":"running"}`, "="},
		{"log the workout with the team", `do{"sport":"swimming"}`, ""},
		{"water the backyard", `do{"zone":"back"}`, "="},
		{"water the plants", `do{"zone":"back"}`, ""},
		{"a grande cappuccino for the lady", `do{"size":"medium"}`, "="},
		{"kill the lights in the garage", `do{"power":"off"}`, "="},
		{"set the power", `do{"power":"off"}`, ""},
		{"I finished the login card", `do{"column":"done"}`, "="},
		{"I started working on the login card", `do{"column":"in progress"}`, "="},
		{"order a latte for the lady", `do{"milk":"none"}`, "="},
		{"order a latte for the lady", `do{"milk":"oat"}`, ""},
		{"what is the price in dollars", `do{"money":"USD"}`, "="},
		{"a seat in the train", `do{"seat":"aisle"}`, ""},
		{"send it to me by express", `do{"ship":"express delivery"}`, "="},
		{"send it to me", `do{"ship":"express delivery"}`, ""},
		{"the professional tier, please", `do{"plan":"pro"}`, "="},
		{"shirts for my husband and the boy", `do{"sex":"male"}`, "="},
		{"paint the wall", `do{"colour":"red"}`, ""},
		{"paint the wall like the ocean", `do{"colour":"blue"}`, ""},
	} {
		if c[2] == "=" {
			c[2] = c[1]
		}
		checkRule(t, "unnamed-option", judged{"", c[0], tools, c[1], c[2]})
	}
}

const numberTool = `vol{"properties":{"level":{"type":"integer"},"user_id":{"type":"integer"},"latitude":{"type":"number"},"step":{"type":"integer","default":5},` +
	`"opt":{"type":"integer"},"pick":{"enum":[1,2]},"in":{"properties":{"n":{"type":"number"}},"required":["n"]}},"required":["level","user_id","latitude","step","pick"]}`

func TestNoQuantityGate(t *testing.T) {
	checkGate(t, "no-quantity", numberTool, [][3]string{
		{"set the volume", `vol{"level":30}`, ""},
		{"turn the volume up", `vol{"level":80}`, ""},
		{"set an alarm", `vol{"level":7}`, ""},
		{"book a table please", `vol{"level":4}`, ""},
		{"set the volume", `vol{"in":{"n":3}}`, ""},
		{"remind me about the milk", `vol{"level":10}`, ""},
		{"turn the lamp on", `vol{"level":0}`, ""},
		{"set it like yesterday's dinner, someone said", `vol{"level":3}`, ""},
		{"set the volume to 30", `vol{"level":30}`, `vol{"level":30}`},
		{"set the volume to thirty", `vol{"level":30}`, `vol{"level":30}`},
		{"set the volume to max", `vol{"level":100}`, `vol{"level":100}`},
		{"set the timer for half an hour", `vol{"level":30}`, `vol{"level":30}`},
		{"set the timer for a couple of minutes", `vol{"level":2}`, `vol{"level":2}`},
		{"mute the TV", `vol{"level":0}`, `vol{"level":0}`},
		{"turn the volume off", `vol{"level":0}`, `vol{"level":0}`},
		{"order a pizza for me with the app", `vol{"level":1}`, `vol{"level":1}`},
		{"the forecast for the week", `vol{"level":7}`, `vol{"level":7}`},
		{"how many days are in March", `vol{"level":3}`, `vol{"level":3}`},
		{"show the user Bob", `vol{"user_id":4}`, `vol{"user_id":4}`},
		{"the weather in Paris", `vol{"latitude":48.8}`, `vol{"latitude":48.8}`},
		{"turn the volume up", `vol{"step":5}`, `vol{"step":5}`},
		{"turn the volume up", `vol{"opt":5}`, `vol{"opt":5}`},
		{"turn the volume up", `vol{"pick":2}`, `vol{"pick":2}`},
		{"把音量调高", `vol{"level":80}`, `vol{"level":80}`},
		{"sube el volumen", `vol{"level":80}`, `vol{"level":80}`},
		{"mach lauter", `vol{"level":80}`, `vol{"level":80}`},
		{"ارفع الصوت", `vol{"level":80}`, `vol{"level":80}`},
	})
}

// TestImpliedQuantities has one of something, and ends of scales; "=" is the calls themselves.
func TestImpliedQuantities(t *testing.T) {
	const tools = `cart{"properties":{"item":{},"quantity":{"type":"integer"}},"required":["item","quantity"]}
print{"properties":{"copies":{"type":"integer"},"number_of_pages":{"type":"integer"},"page":{"type":"integer"},"item_number":{"type":"integer"}},"required":["copies","number_of_pages","page","item_number"]}
light{"properties":{"level":{"type":"integer","minimum":5,"maximum":80},"free":{"type":"integer"}},"required":["level","free"]}
transfer{"properties":{"amount":{"type":"number"},"to":{}},"required":["amount"]}
feed{"properties":{"amount":{"type":"number"},"food":{}},"required":["amount"]}`
	for _, c := range [][3]string{
		{"add batteries to my cart", `cart{"quantity":1}`, "="},
		{"add batteries to my cart", `cart{"quantity":2}`, ""},
		{"print the document report.pdf", `print{"copies":1}`, "="},
		{"print the document report.pdf", `print{"number_of_pages":1}`, "="},
		{"print the document report.pdf", `print{"page":1}`, ""},
		{"print the document report.pdf", `print{"item_number":1}`, ""},
		{"print the document report.pdf", `print{"copies":3}`, ""},
		{"send money to the landlord", `transfer{"amount":1,"to":"landlord"}`, ""},
		{"feed the dog", `feed{"amount":1}`, "="},
		{"make the light as bright as possible", `light{"level":80}`, "="},
		{"make the light as dim as possible", `light{"level":5}`, "="},
		{"make the light as bright as possible", `light{"level":60}`, ""},
		{"crank it up for me", `light{"level":80}`, "="},
		{"turn it all the way up", `light{"free":100}`, "="},
		{"the brightest you can", `light{"level":80}`, "="},
		{"make the light brighter", `light{"level":80}`, ""},
		{"turn up the light in the forest", `light{"level":80}`, ""},
	} {
		if c[2] == "=" {
			c[2] = c[1]
		}
		checkRule(t, "no-quantity", judged{"", c[0], tools, c[1], c[2]})
	}
}

const wayTool = `go{"properties":{"origin":{},"destination":{},"from":{},"to":{},"origin_city":{},"destination_city":{},"pickup_address":{},"dropoff_address":{},"start":{},"end":{},` +
	`"start_location":{},"end_location":{},"from_currency":{},"to_currency":{},"trip":{"properties":{"origin":{},"destination":{}},"required":["destination"]}},` +
	`"required":["origin","to","origin_city","pickup_address","start","start_location","from_currency"]}
walk{"properties":{"origin":{},"destination":{}}}`

func TestSamePlaceGate(t *testing.T) {
	var cases [][3]string
	for _, call := range []string{
		`go{"origin":"Paris","destination":"Paris"}`, `go{"origin":"Paris","destination":"paris"}`, `go{"origin":"New York","destination":"new-york"}`,
		`go{"from":"home","to":"Home"}`, `go{"origin_city":"Rome","destination_city":"Rome"}`, `go{"destination":"Rome","origin":"Rome"}`,
		`go{"pickup_address":"5 Main St","dropoff_address":"5 Main St"}`, `go{"start_location":"Bonn","end_location":"Bonn"}`,
		`go{"trip":{"origin":"Oslo","destination":"Oslo"}}`, `go{"from":"北京","to":"北京"}`, `go{"origin_city":"10001","destination_city":"10001"}`,
	} {
		cases = append(cases, [3]string{"go", call, ""})
	}
	for _, call := range []string{
		`go{"origin":"Paris","destination":"Rome"}`, `go{"origin":"","destination":""}`, `go{"from":"a@b.de","to":"a@b.de"}`, `go{"from":"2026-11-27","to":"2026-11-27"}`,
		`go{"from":"Monday","to":"Monday"}`, `go{"from":"10:30","to":"10:30"}`, `go{"start":"x","end":"x"}`, `go{"from_currency":"USD","to_currency":"USD"}`,
		`walk{"origin":"home","destination":"home"}`, `go{"origin":"Paris"}`, `go{"origin":"Paris","destination_city":"Paris","x":5}`, `go{"origin":"Oslo","trip":{"destination":"Oslo"}}`,
		`go{"origin":1,"destination":1}`,
	} {
		cases = append(cases, [3]string{"go", call, call})
	}
	home, atlanta := `go{"from":"home","to":"home"}`, `go{"origin_city":"Atlanta","destination_city":"Atlanta"}`
	cases = append(cases, [][3]string{
		{"a walk from home to home", home, home},
		{"a walk from home and back", home, home},
		{"a loop from home", home, home},
		{"a round trip from home", home, home},
		{"ship within Atlanta", atlanta, atlanta},
		{"ship to Atlanta", atlanta, ""},
		{"ship back", atlanta, ""},
		{"a way from home", home, ""},
		{"homes from home", home, ""},
	}...)
	checkGate(t, "same-place", wayTool, cases)
}

func TestConfidenceGate(t *testing.T) {
	for confidence, withheld := range map[float64]bool{
		0: true, 0.05: true, 0.0999: true, math.Nextafter(0.1, 0): true, 0.1: false, math.Nextafter(0.1, 1): false, 0.5: false, 1: false,
		math.NaN(): true, -1: true,
	} {
		c := judged{"", "call Bob", gateTools, bob, ""}
		for _, user := range []bool{true, false} {
			if v := c.judge(t, Options{Confidence: confidence}, user); v.Withheld != withheld {
				t.Errorf("confidence %v, a user's turn %t: withheld %t", confidence, user, v.Withheld)
			}
		}
		if v := c.judge(t, Options{Confidence: confidence, Triggered: true}, true); v.Withheld {
			t.Errorf("confidence %v withholds a triggered call", confidence)
		}
		if v := c.judge(t, Options{Confidence: confidence, Off: map[string]bool{"confidence": true}}, true); v.Withheld {
			t.Errorf("confidence %v withholds when switched off", confidence)
		}
	}
}

// firing has a request for every gate that is about requests.
var firing = map[string]judged{
	"exclusion":       {"", "turn on all lights except the kitchen", gateTools, kitchen, ""},
	"negation":        {"", "don't turn on the lights", gateTools, kitchen, ""},
	"reported-speech": {"", `she said "turn on the lights"`, gateTools, kitchen, ""},
	"unnamed-option":  {"", "turn on the fan", optionTool, `fan{"room":"kitchen"}`, ""},
	"no-quantity":     {"", "set the volume", numberTool, `vol{"level":30}`, ""},
	"same-place":      {"", "go from home", wayTool, `go{"from":"home","to":"home"}`, ""},
}

func TestGatesFireWhereTheyShould(t *testing.T) {
	for _, g := range gates {
		c, ok := firing[g.Name]
		if !ok && g.user {
			t.Errorf("no case of %s", g.Name)
		}
		if !ok {
			continue
		}
		for _, triggered := range []bool{false, true} {
			v := c.judge(t, Options{Confidence: 1, Triggered: triggered}, true)
			if want := !triggered || g.strong; v.Withheld != want {
				t.Errorf("%s, triggered %t: withheld %t", g.Name, triggered, v.Withheld)
			}
		}
		if v := c.judge(t, Options{Confidence: 1}, false); v.Withheld || len(v.Trace) > 0 || v.Negation {
			t.Errorf("%s on a tool's result: %+v", g.Name, v.Trace)
		}
		if v := c.judge(t, Options{Confidence: 1, Off: map[string]bool{g.Name: true}}, true); v.Withheld {
			t.Errorf("%s is switched off, and withholds", g.Name)
		}
	}
	for name, strong := range map[string]bool{"exclusion": true, "negation": true, "reported-speech": true, "unnamed-option": false, "no-quantity": false, "same-place": false, "confidence": false} {
		for _, g := range gates {
			if g.Name == name && g.strong != strong {
				t.Errorf("%s: strong %t", name, g.strong)
			}
		}
	}
}

// TestDroppedOrWithheld says where calls go that may not be made.
func TestDroppedOrWithheld(t *testing.T) {
	const setOn, setOff = `set_lights{"room":"kitchen","state":"on"}`, `set_lights{"room":"kitchen","state":"off"}`
	for _, c := range []struct{ text, calls, kept, dropped string }{
		{"call Ann but don't call Bob", ann + "\n" + bob, ann, bob},
		{"call Ann and everyone except Bob", ann + "\n" + bob, ann, bob},
		{"turn on the kitchen lights, call everyone except Bob and don't call Ann", ann + "\n" + bob + "\n" + kitchen, kitchen, bob + "\n" + ann},
		{"don't leave the kitchen lights on", setOff, setOff, ""},
		{"don't turn the kitchen lights on", setOn, "", ""},
		{"don't turn the kitchen lights off, turn them on", setOn, setOn, ""},
		{"don't call Bob", bob, "", ""},
		{"call everyone but Bob", bob, "", ""},
	} {
		j := judged{"", c.text, gateTools + "\nset_lights" + `{"properties":{"room":{"type":"string"},"state":{"enum":["on","off"]}}}`, c.calls, ""}
		v := j.judge(t, Options{Confidence: 1}, true)
		if got := delivered(v); got != c.kept || writtenCalls(v.Dropped) != c.dropped {
			t.Errorf("%q: kept %q, dropped %q", c.text, got, writtenCalls(v.Dropped))
		}
		if v.Withheld && writtenCalls(v.Calls) != c.calls {
			t.Errorf("%q: withheld %q", c.text, writtenCalls(v.Calls))
		}
	}
}

const groundedTool = `add{"properties":{"items":{"type":"array","items":{"type":"string"}},"n":{},"who":{"type":"object","properties":{"name":{"type":"string"}}},` +
	`"e":{"enum":["zzz"]},"r":{"$ref":"#/$defs/e"},"any":{"anyOf":[{"const":"zzz"},{"type":"null"}]},"all":{"allOf":[{"$ref":"#/$defs/e"}]},"g":{"grounded":true},` +
	`"rg":{"$ref":"#/$defs/g"},"user_id":{},"id":{},"date":{},"ok":{}},"$defs":{"e":{"enum":["zzz"]},"g":{"type":"string","grounded":true}}}`

func TestUngrounded(t *testing.T) {
	for _, c := range []struct{ text, arguments, want string }{
		{"add milk and eggs", `{"items":["milk","eggs"]}`, ""},
		{"add milk and eggs", `{"items":["milk","eggs","bread"]}`, "items[2]"},
		{"add milk", `{"items":["bread","milk","ham"]}`, "items[0] items[2]"},
		{"call Ana", `{"who":{"name":"Bob"}}`, "who.name"},
		{"call Ana", `{"who":{"name":"ANA"}}`, ""},
		{"the living room", `{"n":"living_room"}`, ""},
		{"the living-room", `{"n":"Living Room"}`, ""},
		{"buy it", `{"n":"xy"}`, ""},
		{"buy it", `{"n":"xyz"}`, "n"},
		{"for 1,500 people", `{"n":1500}`, ""},
		{"23 degrees", `{"n":23.0}`, ""},
		{"twenty-three degrees", `{"n":23}`, ""},
		{"23 degrees", `{"n":2}`, "n"},
		{"room B12", `{"n":12}`, "n"},
		{"nothing", `{"n":0.5}`, "n"},
		{"half a cup", `{"n":0.5}`, ""},
		{"five", `{"n":"5"}`, ""},
		{"x", `{"e":"zzz","r":"zzz","any":"zzz","all":"zzz","g":"zzz","rg":"zzz","user_id":"zzz","id":"zzz"}`, "g rg user_id id"},
		{"order A-17 of user 4217", `{"g":"A-17","user_id":"4217"}`, ""},
		{"order A-17 of user 4217", `{"g":"A-18","user_id":"4219"}`, "g user_id"},
		{"x", `{"e":"zzz","n":"zzz"}`, "n"},
		{"tomorrow", `{"date":"2026-11-28"}`, ""},
		{"tomorrow", `{"date":"2026-11-30"}`, "date"},
		{"x", `{"ok":true,"n":null}`, ""},
		{"带上牛奶", `{"items":["牛奶","鸡蛋牛"]}`, "items[1]"},
		{"١٥ دقيقة", `{"n":15}`, ""},
	} {
		j := judged{"", c.text, groundedTool, "add" + c.arguments, ""}
		v := j.judge(t, Options{Confidence: 1, Off: only("")}, true)
		var got []string
		for _, p := range v.Ungrounded {
			got = append(got, p.Path.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q %s: %q, want %q", c.text, c.arguments, got, c.want)
		}
	}
}

// TestLongJudgements judges by requests of a hundred kilobytes, and many calls.
func TestLongJudgements(t *testing.T) {
	calls := strings.Repeat(kitchen+"\n"+`go{"origin":"a","destination":"b","startTime":"2024-05-05"}`+"\n"+`fan{"room":"kitchen","wind":"LOW"}`+"\n", 20)
	for _, word := range []string{"never turn ", "turn on the light, not the kitchen, and ", "except the kitchen and ", "tomorrow ", `the boss said "x" `, "bedroom the ", "on Monday, ",
		"it must not be turned on ", "the light must never be turned on, ", "stop turning ", "never ever really be turned ", "text Bob: never turn ", "never, in the hall, turn ", "text he must not ",
		`"x" said Bob. `, `"x" he said `, "according to x, ", "all besides the kitchen ", "leave the kitchen ", "kitchen, hall except kitchen and ", "all skip kitchen, ", "kitchen excluded, "} {
		j := judged{"", strings.Repeat(word, 100_000/len(word)), gateTools + wayTool + "\n" + optionTool + "\n" + dateTool, calls, ""}
		start := time.Now()
		j.judge(t, Options{Confidence: 1}, true)
		if took := time.Since(start); took > mostTime {
			t.Errorf("%q: %v", word, took)
		}
	}
}
